use super::generator::{COLUMNS, MULTIPLES, ROWS, WIDTH};
use super::point::{Affine, Jacobian};
use super::*;
use crate::field::Element;

/// Row by row from G alone, as the file has it.
#[test]
fn the_table_of_the_base_point_is_what_it_says() {
    let [x, y] = MULTIPLES[0][0];
    let generator = Affine { x, y };
    assert_eq!(Point(generator).to_coordinates()[..4], [0x32, 0xc4, 0xae, 0x2c]);
    let mut base = Jacobian::from(generator);
    let rows = [(); ROWS].map(|()| {
        let mut points = [base; COLUMNS];
        for i in 1..COLUMNS {
            points[i] = if i == 1 { base.double(Portable, 1) } else { points[i - 1].add(Portable, &base).point };
        }
        base = base.double(Portable, 2 * WIDTH as u32);
        let lines = Jacobian::to_affine(&points, Portable).map(|Affine { x, y }| {
            let [x, y] = [x, y]
                .map(|Element([a, b, c, d])| format!("Element([0x{a:016x}, 0x{b:016x}, 0x{c:016x}, 0x{d:016x}])"));
            format!("        [{x}, {y}],\n")
        });
        format!("    [\n{}    ],\n", lines.concat())
    });
    assert!(include_str!("generator.rs").ends_with(&format!("= [\n{}];\n", rows.concat())));
}
