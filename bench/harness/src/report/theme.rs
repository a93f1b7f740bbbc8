//! What the page and its charts look like.

const THEMES: [(&str, &str); 2] = [("light", include_str!("light.css")), ("dark", include_str!("dark.css"))];

const CHART: &str = include_str!("chart.css");
const PAGE: &str = include_str!("page.css");

/// The page's CSS, in the theme that the reader has.
pub(super) fn page() -> String {
    let [(_, light), (_, dark)] = THEMES;
    format!("{light}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n{CHART}{PAGE}")
}
