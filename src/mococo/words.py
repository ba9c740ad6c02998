"""Words for fuzzy sets, fitting their number."""

from __future__ import annotations

# How far an end word is meant, by the number of sets on that side: from the middle outwards.
_DEGREES = {
    1: ("",),
    2: ("", "Far"),
    3: ("Slightly", "", "Far"),
    4: ("Slightly", "", "Far", "Farthest"),
}
_MIDDLE = {"Low": "Medium"}
_FAR = {"Low": ("Very", "Extremely"), "High": ("Very", "Extremely")}


def set_names(n_sets: int, ends: tuple[str, str] = ("Low", "High")) -> tuple[str, ...]:
    """Names of n sets from one end of a domain to the other.

    >>> set_names(4, ("Left", "Right"))
    ('Far Left', 'Left', 'Right', 'Far Right')
    >>> set_names(3)
    ('Low', 'Medium', 'High')
    >>> set_names(5)
    ('Very Low', 'Low', 'Medium', 'High', 'Very High')
    """
    side, has_middle = divmod(n_sets, 2)
    low, high = ([_name(end, degree, side) for degree in range(side)] for end in ends)
    return (*reversed(low), *([_MIDDLE.get(ends[0], "Middle")] if has_middle else []), *high)


def _name(end: str, degree: int, side: int) -> str:
    """The set `degree` places from the middle, of `side` sets."""
    if side not in _DEGREES:
        return f"{end} {degree + 1}"
    word = _DEGREES[side][degree]
    far, farthest = _FAR.get(end, ("Far", "Farthest"))
    return f"{ {'Far': far, 'Farthest': farthest}.get(word, word) } {end}".strip()


def spoken_list(words: list[str]) -> str:
    """Alternatives as one says them.

    >>> spoken_list(["Far Left", "Left", "Far Right"])
    'Far Left, Left or Far Right'
    """
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
