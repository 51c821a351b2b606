# Hookwright in a container: docs/install.md, "In containers".
FROM node:24-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --include=dev
COPY . .
# What builds it stays here; the Node that it runs on comes with it, from npm.
RUN npm run build && npm prune --omit=dev && rm -rf node_modules/typescript node_modules/@typescript node_modules/.bin/tsc dist/bench

FROM debian:bookworm-slim
# By name, because Postgres asks for the name of who runs it (all in one).
RUN useradd --system --home-dir /data --create-home hookwright
WORKDIR /app
COPY --from=build /app/package.json /app/hookwright /app/LICENSE ./
COPY --from=build /app/node_modules node_modules
COPY --from=build /app/dist dist
USER hookwright
# Outside of the container nobody could reach its loopback.
ENV HOST=0.0.0.0 METRICS_HOST=0.0.0.0 DATA_DIR=/data
VOLUME /data
EXPOSE 3000
ENTRYPOINT ["/app/hookwright"]
CMD ["start"]
