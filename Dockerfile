# doxeval in a container, with all extras.
#
#     docker build --tag doxeval .
#
# The application on the demo campaign, at http://127.0.0.1:8765; the log says who can sign in:
#
#     docker run --rm --publish 127.0.0.1:8765:8765 doxeval
#
# Any command, on the files of this directory:
#
#     docker run --rm --volume "$PWD:/data" --user "$(id -u)" doxeval evaluate my.run -a qrels -m nxCG@10

FROM python:3.13-slim AS build
ENV VIRTUAL_ENV=/opt/doxeval
WORKDIR /sources
COPY . .
RUN python -m venv "$VIRTUAL_ENV" \
    && "$VIRTUAL_ENV/bin/pip" install --quiet --no-cache-dir --disable-pip-version-check \
        --constraint constraints.txt ".[all]"

FROM python:3.13-slim
# Where nothing is kept: what was hashed, downloaded and compiled is remembered here.
ENV PATH="/opt/doxeval/bin:$PATH" XDG_CACHE_HOME=/tmp
COPY --from=build /opt/doxeval /opt/doxeval
WORKDIR /data
# Everybody may write here, whoever the container is run as.
RUN chmod 1777 .
USER 1000
EXPOSE 8765
ENTRYPOINT ["doxeval"]
CMD ["assess", "demo", "--host", "0.0.0.0"]
