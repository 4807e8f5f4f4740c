# Builds a bundle from a Makefile. Set what you need, include this file, and depend on $(DSBUILD_BUNDLE):
#
#   DSBUILD_OPS := cpu_adam transformer
#   include path/to/dsbuild.mk
#   program: main.c $(DSBUILD_BUNDLE)
#
# Make runs dsbuild when a source, header or manifest of the ops changed, or when a Makefile did.

DSBUILD       ?= dsbuild
DSBUILD_OPS   ?=
DSBUILD_FLAGS ?=
DSBUILD_OUT   ?= out/bundle
DSBUILD_BUILD ?= out/build

# The file that stands for the whole bundle.
DSBUILD_BUNDLE := $(DSBUILD_OUT)/bundle.json

dsbuild_comma := ,
dsbuild_empty :=
dsbuild_space := $(dsbuild_empty) $(dsbuild_empty)
dsbuild_ops   := $(subst $(dsbuild_space),$(dsbuild_comma),$(strip $(DSBUILD_OPS)))

$(DSBUILD_BUNDLE): $(MAKEFILE_LIST)
	$(DSBUILD) build $(if $(dsbuild_ops),--ops $(dsbuild_ops)) --out $(DSBUILD_OUT) --build-dir $(DSBUILD_BUILD) \
	    --depfile $(DSBUILD_BUILD)/bundle.d $(DSBUILD_FLAGS)

-include $(DSBUILD_BUILD)/bundle.d
