//! README's program does what README says.

include!("readme/film.rs");

#[test]
fn the_program_of_the_readme_encrypts_a_file_and_decrypts_it() {
    let readme = concat!(env!("CARGO_MANIFEST_DIR"), "/../../README.md");
    let readme = std::fs::read_to_string(readme).unwrap();
    assert!(readme.contains(&format!("```rust\n{}```\n", include_str!("readme/film.rs"))));
    let folder = tempfile::tempdir().unwrap();
    std::env::set_current_dir(folder.path()).unwrap();
    std::fs::write("film.mkv", "a film").unwrap();
    main().unwrap();
    assert_eq!(std::fs::read("copy.mkv").unwrap(), b"a film");
    assert_ne!(std::fs::read("film.mkv.seal").unwrap(), b"a film");
}
