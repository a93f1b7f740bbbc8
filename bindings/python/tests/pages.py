"""The pages of the documentation, whose programs tests run."""

from pathlib import Path


def page(name: str) -> str:
    """A page of the repository, or its copy beside the tests."""
    here = Path(__file__).parent
    places = (here / name.rsplit("/", 1)[-1], here.parents[2] / name)
    return next(place for place in places if place.exists()).read_text()


def programs(text: str) -> list[str]:
    """The programs in Python that a text shows."""
    return [part.partition("```")[0] for part in text.split("```python\n")[1:]]
