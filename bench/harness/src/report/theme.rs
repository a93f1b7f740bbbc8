//! What the page and its charts look like, and charts as files of their own.

/// Each has a document's pictures.
pub(super) const THEMES: [(&str, &str); 2] = [("light", include_str!("light.css")), ("dark", include_str!("dark.css"))];

const CHART: &str = include_str!("chart.css");
const PAGE: &str = include_str!("page.css");

/// The page's CSS, in the theme that the reader has.
pub(super) fn page() -> String {
    let [(_, light), (_, dark)] = THEMES;
    format!("{light}@media screen and (prefers-color-scheme: dark) {{\n{dark}}}\n{CHART}{PAGE}")
}

/// A chart as a file. Colours stand in it as they are, since not all that shows SVG knows variables; paper is whatever lies behind it.
pub(super) fn file(svg: &str, colours: &str) -> String {
    let mut style = CHART.replace("var(--paper)", "none");
    for declaration in colours.split(['{', ';']) {
        if let Some((name, value)) = declaration.trim().split_once(": ") {
            style = style.replace(&format!("var({name})"), value);
        }
    }
    svg.replacen("<svg", "<svg xmlns=\"http://www.w3.org/2000/svg\"", 1).replacen(
        '>',
        &format!(">\n<style>\n{style}</style>"),
        1,
    )
}
