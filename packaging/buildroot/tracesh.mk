################################################################################
#
# tracesh
#
################################################################################

TRACESH_VERSION = 0.1.0
# The tarball of `make dist`, beside this file
TRACESH_SITE = file://$(TOPDIR)/package/tracesh
TRACESH_LICENSE = GPL-2.0+
TRACESH_LICENSE_FILES = COPYING
TRACESH_DEPENDENCIES = host-pkgconf
TRACESH_CONF_OPTS = --without-libtraceevent --without-libtracefs --without-libdw \
	--without-libzstd --without-zlib

ifeq ($(BR2_PACKAGE_TRACESH_READLINE),y)
TRACESH_DEPENDENCIES += readline
TRACESH_CONF_OPTS += --with-readline
else
TRACESH_CONF_OPTS += --without-readline
endif

ifeq ($(BR2_STATIC_LIBS),y)
TRACESH_CONF_OPTS += --enable-static-binary
endif

define TRACESH_LINUX_CONFIG_FIXUPS
	$(call KCONFIG_ENABLE_OPT,CONFIG_FTRACE)
	$(call KCONFIG_ENABLE_OPT,CONFIG_ENABLE_DEFAULT_TRACERS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_FTRACE_SYSCALLS)
	$(call KCONFIG_ENABLE_OPT,CONFIG_HIST_TRIGGERS)
endef

$(eval $(autotools-package))
