# Two commands: `make demo` and `make test`. Each makes .venv from a lock file with hashes.
PYTHON ?= python3
CORES ?= all
STUDY ?= tests/slurm/small.yaml
BIN := .venv/bin
# the files with tests of compiled functions, which also run without the compiler, where an index beyond an array raises;
# those of LONG, which then skip tests or shorten streams, run with bounds checked too
LONG := budget lp_smo solvers
COMPILED := $(LONG) algorithms continuous features localised_mkl multiclass pixels streaming subsets views
compiled = $(patsubst %,tests/test_%.py,$(1)) -m compiled
PYTEST := $(BIN)/python -m pytest --numprocesses auto --dist worksteal
PIP := $(BIN)/python -m pip --disable-pip-version-check install --quiet $(PIPFLAGS)

.PHONY: install dev demo test test-lowest test-newest test-slurm replications checksums same lint lock docs site dictionary pages schema release clean

install: .venv/run.stamp

# the tools of CONTRIBUTING too
dev: .venv/dev.stamp

demo: .venv/run.stamp
	$(BIN)/grambench run --demo --cores $(CORES)

test: .venv/dev.stamp tests/browser/node_modules
	$(PYTEST)
	NUMBA_DISABLE_JIT=1 $(PYTEST) -q --dist loadfile $(call compiled,$(COMPILED))
	NUMBA_BOUNDSCHECK=1 $(PYTEST) -q --dist loadfile $(call compiled,$(LONG))

# the estimators with the oldest and the newest versions that pyproject.toml allows, in environments of their own
test-lowest: VERSIONS = --require-hashes -r envs/lowest.lock
test-newest: VERSIONS = --upgrade '.[dev,workflow]'
test-lowest test-newest: test-%:
	test -x .venv-$*/bin/python || $(PYTHON) -m venv .venv-$*
	.venv-$*/bin/python -m pip --disable-pip-version-check install --quiet $(VERSIONS)
	PYTHONPATH=src .venv-$*/bin/python -m pytest --numprocesses auto tests/test_estimators.py tests/test_streaming.py

test-slurm: .venv/dev.stamp
	tests/slurm/install.sh
	$(BIN)/python -m pytest tests/slurm -s --study $(STUDY)

replications: .venv/run.stamp
	$(BIN)/snakemake --cores $(CORES) $(if $(STUDIES),--config "studies=[$(STUDIES)]" --) replications
	mkdir -p config/replications
	cp results/replications/*.csv config/replications/
	$(MAKE) checksums

checksums:
	cd config/published && sha256sum *.csv > SHA256SUMS
	cd config/replications && sha256sum *.csv > SHA256SUMS

same: .venv/run.stamp
	$(BIN)/python benchmarks/same.py results --rerun $(CORES) \
	    $(if $(STUDIES),--studies $(STUDIES)) $(if $(DATASETS),--datasets $(DATASETS))

lint: .venv/dev.stamp
	$(BIN)/python -m pytest -q tests/style
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell
	$(BIN)/lint-imports
	$(BIN)/snakefmt --check Snakefile workflow
	$(BIN)/snakemake --lint

lock: .venv/dev.stamp
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
	    --extra workflow pyproject.toml -o envs/requirements.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
	    --extra workflow --extra slurm -c envs/requirements.lock pyproject.toml -o envs/slurm.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
	    --extra dev --extra docs --extra workflow --extra slurm -c envs/slurm.lock pyproject.toml -o envs/dev.lock
	$(BIN)/uv pip compile --quiet --universal --generate-hashes --no-header --no-annotate --python-version 3.11 \
	    --resolution lowest-direct --extra dev --extra workflow pyproject.toml -o envs/lowest.lock

docs: site
	$(BIN)/grambench report -o build/docs/report
	@echo "Documentation: $(CURDIR)/build/docs/index.html"

site: .venv/dev.stamp # docs without the report of the reference results, which takes as long
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --builder html docs build/docs
	! grep -rnE '<(script|img|iframe|link)[^>]* (src|href)="(https?:)?//|url\(.?https?://' build/docs --include='*.html' --include='*.css'

dictionary: .venv/dev.stamp
	$(BIN)/python docs/data_dictionary.py docs/data_dictionary.md

pages: .venv/dev.stamp # statements before numbers, which are looked up in them too
	$(BIN)/grambench report
	$(BIN)/python docs/statements.py results/reference/files
	$(BIN)/python docs/page_numbers.py
	$(BIN)/python benchmarks/paper_figures.py docs/papers

schema: .venv/dev.stamp
	$(BIN)/python docs/schemas.py config/schema

# all that a release has, in dist; docs/releasing.md says what a person then does
release: .venv/dev.stamp
	$(BIN)/grambench archive --check
	$(MAKE) pages docs
	git diff --exit-code
	rm -rf dist
	$(BIN)/hatchling build -d dist
	tar -czf dist/site.tar.gz -C build docs
	tar -czf dist/reference.tar.gz reference
	cd dist && sha256sum *.whl *.gz > SHA256SUMS
	@echo "Nothing is published yet: dist has the wheel, the sources, the site and the reference results"

clean:
	rm -rf .venv results tests/browser/node_modules

tests/browser/node_modules: tests/browser/package-lock.json
	@npm ci --silent --prefix tests/browser && touch $@ || \
	    echo "axe-core could not be had from npm: the report's tests of accessibility will be skipped"

.venv/%.stamp: envs/requirements.lock envs/slurm.lock envs/dev.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(f"Python 3.11 or newer is needed, got {sys.version.split()[0]}; try: make PYTHON=python3.12 $(MAKECMDGOALS)" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@echo "Installing the pinned packages into .venv (once, a minute or two)"
	$(PIP) --require-hashes -r envs/$(if $(filter run,$*),requirements,$*).lock
	$(PIP) --no-deps --no-build-isolation --no-index -e .
	touch $@
