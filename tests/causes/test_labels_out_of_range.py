"""Three classes counted from 1; the twin counts from 0."""

from tests.twins import Twin

TWIN = Twin(
    "iris_softmax",
    {
        '{"setosa": 1, "versicolor": 2, "virginica": 3}': '{"setosa": 0, "versicolor": 1, "virginica": 2}',
    },
)
