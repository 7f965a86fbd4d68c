"""Seeds: datasets on which a statement returns rows, one symbolic row for each table it names."""
