# Archives that keep everything of this tree give it back.
. "$TESTDATA/cli/poolcp/formats.inc"
for f in pax rpax gnutar ustar v7tar newc odc bin; do back $f; done
for f in iso xar; do back $f " \./$"; done
