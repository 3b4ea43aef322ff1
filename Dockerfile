# The server with the panel: docker build -t drawbridge .
# The digest is of the index of all architectures; a newer one: docker buildx imagetools inspect node:<version>-bookworm-slim
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS build
WORKDIR /src
COPY . .
# What `pnpm start` installs and builds: nothing of the tests and checks.
RUN npx --yes pnpm@10.34.9 start --build-only \
  && deploy/assemble.sh /out

FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
COPY --from=build /out /opt/drawbridge
RUN ln -s /opt/drawbridge/bin/drawbridge-server /usr/local/bin/drawbridge-server \
  && install -d -o node -g node -m 0700 /data
ENV NODE_ENV=production HOST=0.0.0.0 PORT=5820 DATA_DIR=/data
USER node
# The one place that is written to: the rest of the file system can be read-only.
VOLUME /data
EXPOSE 5820
HEALTHCHECK --interval=30s --timeout=5s --start-period=20s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["drawbridge-server"]
