//! Plots as SVG: panels side by side, each with two axes, dots, lines and a legend. Nothing is
//! known here of what is plotted.

use std::fmt::Write;

pub struct Panel {
    pub title: String,
    pub x: Axis,
    pub y: Axis,
    /// A line where both are equal; the axes then show the same range.
    pub diagonal: bool,
    pub series: Vec<Series>,
}

pub enum Axis {
    /// Powers of ten, and beyond the last a place for what is not known because it was not
    /// finished.
    Logarithmic { label: String },
    /// Whole numbers, one by one or in even steps if there are many.
    Counted { label: String },
}

pub struct Series {
    pub name: String,
    pub mark: Mark,
    pub color: &'static str,
    pub line: Line,
    pub points: Vec<Point>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Disc,
    Ring,
}

/// Between a series' points, in their order.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Line {
    None,
    Solid,
    Dashed,
}

pub struct Point {
    /// Nothing: not finished.
    pub x: Option<f64>,
    pub y: Option<f64>,
    /// Shown when the mouse is over it.
    pub name: String,
}

const PANEL: f64 = 440.0;
/// The side of the square in which there are points.
const SIDE: f64 = 320.0;
const LEFT: f64 = 84.0;
const TOP: f64 = 40.0;
const HEIGHT: f64 = 450.0;
const LEGEND_ROW: f64 = 18.0;
/// How far beyond the last tick the place for what is not known is, in steps: its label is longer
/// than a number.
const UNKNOWN: f64 = 1.6;
/// A search that takes less is too fast to be measured.
const SMALLEST: f64 = 1e-4;

pub fn svg(panels: &[Panel]) -> String {
    let rows = panels.iter().map(|panel| panel.series.len().div_ceil(2));
    #[expect(clippy::cast_precision_loss, reason = "a handful")]
    let height = HEIGHT + LEGEND_ROW * rows.max().unwrap_or(0).saturating_sub(1) as f64;
    #[expect(clippy::cast_precision_loss, reason = "two or three")]
    let width = PANEL * panels.len() as f64;
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>\n"
    );
    let mut left = 0.0;
    for panel in panels {
        let _ = writeln!(text, "<g transform=\"translate({left} 0)\">");
        draw(&mut text, panel);
        text.push_str("</g>\n");
        left += PANEL;
    }
    text.push_str("</svg>\n");
    text
}

fn draw(text: &mut String, panel: &Panel) {
    let points = || panel.series.iter().flat_map(|series| &series.points);
    let mut x = Scale::new(&panel.x, points().map(|point| point.x));
    let mut y = Scale::new(&panel.y, points().map(|point| point.y));
    if panel.diagonal {
        let common = x.union(&y);
        (x, y) = (common.clone(), common);
    }
    let bottom = TOP + SIDE;
    let at_x = |value| LEFT + SIDE * x.place(value);
    let at_y = |value| bottom - SIDE * y.place(value);

    let title = escape(&panel.title);
    let middle = LEFT + SIDE / 2.0;
    let _ = writeln!(
        text,
        "<text x=\"{middle}\" y=\"24\" text-anchor=\"middle\" font-size=\"14\" font-weight=\"bold\">{title}</text>"
    );
    for (place, label) in x.ticks() {
        let at = LEFT + SIDE * place;
        let below = bottom + 18.0;
        let _ = writeln!(
            text,
            "<path d=\"M{at:.1} {TOP}V{bottom}\" stroke=\"#e3e3e3\"/>\n\
             <text x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{label}</text>"
        );
    }
    for (place, label) in y.ticks() {
        let at = bottom - SIDE * place;
        let (beside, baseline) = (LEFT - 8.0, at + 4.0);
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {at:.1}H{}\" stroke=\"#e3e3e3\"/>\n\
             <text x=\"{beside}\" y=\"{baseline:.1}\" text-anchor=\"end\">{label}</text>",
            LEFT + SIDE
        );
    }
    let _ = writeln!(
        text,
        "<rect x=\"{LEFT}\" y=\"{TOP}\" width=\"{SIDE}\" height=\"{SIDE}\" fill=\"none\" stroke=\"#444\"/>"
    );
    if panel.diagonal {
        let _ = writeln!(
            text,
            "<path d=\"M{LEFT} {bottom}L{} {TOP}\" stroke=\"#999\" stroke-dasharray=\"2 3\"/>",
            LEFT + SIDE
        );
    }
    for series in &panel.series {
        let places: Vec<_> = { series.points.iter() }
            .map(|point| (at_x(point.x), at_y(point.y)))
            .collect();
        draw_line(text, series, &places);
        for (point, (at_x, at_y)) in series.points.iter().zip(places) {
            mark(text, series, at_x, at_y, &point.name);
        }
    }
    let (label_x, label_y) = (escape(panel.x.label()), escape(panel.y.label()));
    let (under, beside) = (bottom + 40.0, TOP + SIDE / 2.0);
    let _ = writeln!(
        text,
        "<text x=\"{middle}\" y=\"{under}\" text-anchor=\"middle\">{label_x}</text>\n\
         <text x=\"16\" y=\"{beside}\" text-anchor=\"middle\" transform=\"rotate(-90 16 {beside})\">{label_y}</text>"
    );
    legend(text, &panel.series, bottom + 68.0);
}

fn draw_line(text: &mut String, series: &Series, places: &[(f64, f64)]) {
    let dashes = match series.line {
        Line::None => return,
        Line::Solid => "",
        Line::Dashed => " stroke-dasharray=\"5 4\"",
    };
    let path: Vec<_> = { places.iter() }
        .map(|(x, y)| format!("{x:.1},{y:.1}"))
        .collect();
    let _ = writeln!(
        text,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.5\"{dashes}/>",
        path.join(" "),
        series.color
    );
}

fn mark(text: &mut String, series: &Series, x: f64, y: f64, name: &str) {
    let color = series.color;
    let look = match series.mark {
        Mark::Disc => format!("fill=\"{color}\" fill-opacity=\"0.75\""),
        Mark::Ring => {
            format!("fill=\"white\" fill-opacity=\"0.4\" stroke=\"{color}\" stroke-width=\"1.3\"")
        }
    };
    let name = escape(name);
    let _ = writeln!(
        text,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.6\" {look}><title>{name}</title></circle>"
    );
}

/// In two columns.
fn legend(text: &mut String, series: &[Series], top: f64) {
    let (mut x, mut y) = (LEFT, top);
    for (k, series) in series.iter().enumerate() {
        let places = [(x, y), (x + 24.0, y)];
        draw_line(text, series, &places);
        mark(text, series, x + 12.0, y, &series.name);
        let (at, baseline) = (x + 32.0, y + 4.0);
        let name = escape(&series.name);
        let _ = writeln!(text, "<text x=\"{at}\" y=\"{baseline}\">{name}</text>");
        if k % 2 == 0 {
            x = LEFT + 0.56 * SIDE;
        } else {
            (x, y) = (LEFT, y + LEGEND_ROW);
        }
    }
}

impl Axis {
    fn label(&self) -> &str {
        match self {
            Axis::Logarithmic { label } | Axis::Counted { label } => label,
        }
    }
}

/// Where values are on an axis, from 0 to 1. The ends are ticks: powers of ten, or numbers.
#[derive(Clone)]
struct Scale {
    is_logarithmic: bool,
    /// Between two ticks.
    step: i32,
    first: i32,
    last: i32,
    /// Some values are not known: they have a place of their own after the last tick.
    has_unknown: bool,
}

impl Scale {
    fn new(axis: &Axis, values: impl Iterator<Item = Option<f64>>) -> Scale {
        let is_logarithmic = matches!(axis, Axis::Logarithmic { .. });
        let (mut first, mut last, mut has_unknown) = (i32::MAX, i32::MIN, false);
        for value in values {
            let Some(value) = value else {
                has_unknown = true;
                continue;
            };
            let value = Scale::position(is_logarithmic, value);
            #[expect(
                clippy::cast_possible_truncation,
                reason = "a few decades, a few threads"
            )]
            let (low, high) = (value.floor() as i32, value.ceil() as i32);
            (first, last) = (first.min(low), last.max(high));
        }
        if first > last {
            (first, last) = (0, 1);
        }
        let step = match is_logarithmic {
            true => 1,
            false => even_step(last - first),
        };
        first -= first.rem_euclid(step);
        last += (first - last).rem_euclid(step);
        last = last.max(first + step);
        Scale {
            is_logarithmic,
            step,
            first,
            last,
            has_unknown,
        }
    }

    fn union(&self, other: &Scale) -> Scale {
        Scale {
            is_logarithmic: self.is_logarithmic,
            step: self.step.max(other.step),
            first: self.first.min(other.first),
            last: self.last.max(other.last),
            has_unknown: self.has_unknown || other.has_unknown,
        }
    }

    fn position(is_logarithmic: bool, value: f64) -> f64 {
        if is_logarithmic {
            value.max(SMALLEST).log10()
        } else {
            value
        }
    }

    /// A step between ticks is as wide as any other; dots do not touch the frame.
    fn part(&self, position: f64) -> f64 {
        const MARGIN: f64 = 0.3;
        let steps = |from: i32| (position - f64::from(from)) / f64::from(self.step);
        let mut all = f64::from(self.last - self.first) / f64::from(self.step);
        if self.has_unknown {
            all += UNKNOWN;
        }
        (steps(self.first) + MARGIN) / (all + 2.0 * MARGIN)
    }

    fn place(&self, value: Option<f64>) -> f64 {
        self.part(match value {
            Some(value) => Scale::position(self.is_logarithmic, value),
            None => f64::from(self.last) + UNKNOWN * f64::from(self.step),
        })
    }

    fn ticks(&self) -> Vec<(f64, String)> {
        let label = |tick: i32| match (self.is_logarithmic, tick) {
            (true, 0..=3) => 10_i32.pow(tick.unsigned_abs()).to_string(),
            (true, -2..0) => format!("{:.*}", tick.unsigned_abs() as usize, 10_f64.powi(tick)),
            (true, _) => format!("10{}", superscript(tick)),
            (false, _) => tick.to_string(),
        };
        let step = self.step.unsigned_abs() as usize;
        let mut ticks: Vec<_> = (self.first..=self.last)
            .step_by(step)
            .map(|tick| (self.part(f64::from(tick)), label(tick)))
            .collect();
        if self.has_unknown {
            ticks.push((self.place(None), "not done".to_string()));
        }
        ticks
    }
}

/// One, two or five, or ten times that, and so on: so that there are not many steps.
fn even_step(range: i32) -> i32 {
    const MANY: i32 = 16;
    let tens = (0..9).flat_map(|tens| [1, 2, 5].map(|step| step * 10_i32.pow(tens)));
    { tens }
        .into_iter()
        .find(|step| range / step <= MANY)
        .unwrap_or(range)
}

fn superscript(number: i32) -> String {
    let digit = |c: char| match c {
        '-' => '⁻',
        c => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][c as usize - '0' as usize],
    };
    number.to_string().chars().map(digit).collect()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scale(values: &[Option<f64>]) -> Scale {
        let label = String::new();
        Scale::new(&Axis::Logarithmic { label }, values.iter().copied())
    }

    #[test]
    fn ticks_are_powers_of_ten_around_the_values() {
        let labels = |values: &[Option<f64>]| -> Vec<String> {
            let ticks = scale(values).ticks();
            ticks.into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(
            labels(&[Some(3.0), Some(420.0)]),
            ["1", "10", "100", "1000"]
        );
        assert_eq!(labels(&[Some(0.03), None]), ["0.01", "0.1", "not done"]);
        assert_eq!(labels(&[Some(2e4)]), ["10⁴", "10⁵"]);
        assert_eq!(labels(&[Some(5e-4)]), ["10⁻⁴", "10⁻³"]);
        assert_eq!(labels(&[]), ["1", "10"]);
    }

    #[test]
    fn many_numbers_are_counted_in_steps() {
        let labels = |first: f64, last: f64| -> Vec<String> {
            let label = String::new();
            let scale = Scale::new(
                &Axis::Counted { label },
                [Some(first), Some(last)].into_iter(),
            );
            let ticks = scale.ticks();
            assert!(ticks.iter().all(|(place, _)| (0.0..1.0).contains(place)));
            ticks.into_iter().map(|(_, label)| label).collect()
        };
        assert_eq!(labels(2.0, 5.0), ["2", "3", "4", "5"]);
        assert_eq!(labels(5.0, 5.0), ["5", "6"]);
        let fives: Vec<String> = (1..=16).map(|k| (5 * k).to_string()).collect();
        assert_eq!(labels(5.0, 80.0), fives);
        assert_eq!(labels(7.0, 99.0).last().unwrap(), "100");
    }

    #[test]
    fn larger_is_further_and_unfinished_is_furthest() {
        let scale = scale(&[Some(0.0), Some(1.0), Some(1e5), None]);
        let places = [Some(0.0), Some(1.0), Some(1e5), None].map(|value| scale.place(value));
        assert!(places.is_sorted());
        assert!(places[0] > 0.0 && places[3] < 1.0);
    }

    #[test]
    fn names_are_escaped() {
        assert_eq!(escape("a<b & \"c\">"), "a&lt;b &amp; &quot;c&quot;&gt;");
    }
}
