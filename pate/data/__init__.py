"""From a row of a user's file to the sides of a split, one way: each file below imports only from files above it.

What is done to a row:
    cells       what one cell means: a number, a date, text
    formats     a file -> arrays, or columns of cells as they were written
    table       columns of cells -> one array of rows, and those columns that are chosen
    labels      written labels -> places in the class list
    owners      written groups -> whose a record is; nobody is on two sides
    budgets     written wishes -> how much epsilon a record allows
    records     a file's rows, labels, groups and budgets, checked -> a pool of records
    recognise   (looks) a digest of private records, whatever file they come in
    split       pools -> private | public | test, by position alone
    advice      (looks) what to type about a column
    kinds       what kind a column is: declared, or by the public cells, so after the split
    encoding    a table -> numbers, as its public rows teach
    identifiers (looks) columns that say whose a record is
    examine     (looks) what can be seen before anything is trained or drawn
    written     (looks) columns as they were written, for whoever reads results
    dataset     what every data set answers: split first, then encode
    arrays      a user's own files, through all of this
    outline     what is public of a data set before a record is read

Data sets everybody knows join it at `records`, with pools of their own:
    clients     package clients that carry archives
    fetch       published files, checked by their digests
    openml      tables and images of OpenML
    sources     where each data set comes from
    benchmark   files of fixed names, a train and a test pool
    matlab      arrays of .mat files
    idx         MNIST and Fashion-MNIST
    svhn        house numbers
    cifar10     small colour images
    adult       census records
    digits      those of scikit-learn

After the split:
    partition   which teacher sees which record
"""
