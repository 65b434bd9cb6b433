#include "milter/cli/cli.h"

int main(int argc, char** argv) { return shingled::milter::cli::run_cli(argc, argv); }
