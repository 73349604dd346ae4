/**
 * The image of a page or a program. Its last stage copies the files that run and the libraries that `ldd` names, besides
 * those opened only at run time: the network security modules, the drivers for WebGL in software, and the libraries of
 * glibc that native npm modules such as sharp load, and Node itself doesn't.
 */
export const DOCKERFILE = String.raw`{{#page}}
# The game server's image: a page, the browser that runs it without a screen, and nothing else; about 390 MB.
{{/page}}
{{^page}}
# The game server's image: your program, {{Runtime}}, and nothing else; about {{megabytes}} MB and your packages.
{{/page}}
#   docker build -t {{image}} .

{{#page}}
{{#build}}
# Your game's build.
FROM node:24-bookworm-slim AS game
WORKDIR /project
{{copyAndInstall}}
RUN {{build}}

{{/build}}
{{#webrtc}}
# gameserver-sidecar, which runs the page, and the package for WebRTC, in your project's versions. Your game's packages
# aren't installed: its build holds them.
{{/webrtc}}
{{^webrtc}}
# gameserver-sidecar, which runs the page, in your project's version. Your game's packages aren't installed: its build
# holds them.
{{/webrtc}}
FROM node:24-bookworm-slim AS host
WORKDIR /host
{{copy}}
RUN node -e " \
      const { dependencies, devDependencies } = require('./package.json'); \
      const needed = Object.fromEntries([{{hosting}}].map((name) => { \
        const version = { ...devDependencies, ...dependencies }[name]; \
        if (!version) throw new Error('package.json lacks ' + name + ': run npm install ' + name); \
        return [name, version]; \
      })); \
      require('fs').writeFileSync('package.json', JSON.stringify({ dependencies: needed }))" \
 && npm install --omit=dev --no-audit --no-fund

# The browser, Node and tini, with only the libraries that they load. Debian installs more than 1 GB for them.
FROM node:24-bookworm-slim AS root
RUN apt-get update \
 && apt-get install -y --no-install-recommends binutils ca-certificates chromium-headless-shell fonts-dejavu-core tini \
 && rm -rf /var/lib/apt/lists/*
RUN set -e; mkdir -p /image/etc; mkdir -m 1777 /image/tmp; \
    files="$(ls $(command -v node) /usr/bin/tini \
      /usr/lib/chromium/chromium-headless-shell \
      /usr/lib/chromium/headless_*.pak \
      /usr/lib/chromium/icudtl.dat \
      /usr/lib/chromium/*snapshot*.bin \
      /usr/lib/chromium/libEGL.so \
      /usr/lib/chromium/libGLESv2.so \
      /usr/lib/chromium/libvk_swiftshader.so \
      /usr/lib/chromium/libvulkan.so.1 \
      /usr/lib/chromium/vk_swiftshader_icd.json \
      /usr/lib/*/libsoftokn3.so \
      /usr/lib/*/libfreebl*.so)"; \
    cp -rL --parents /etc/fonts /usr/share/fonts /image; \
{{/page}}
{{^page}}
{{#build}}
# Your program with its packages, without those that only its build needs.
{{/build}}
{{^build}}
# Your program with its packages.
{{/build}}
FROM node:24-bookworm-slim AS server
WORKDIR /server
{{copyAndInstall}}
RUN {{finish}}

# {{Runtime}} and tini, with the libraries that they need.
FROM node:24-bookworm-slim AS root
{{#isBun}}
RUN npm install --global bun@1
{{/isBun}}
RUN apt-get update \
 && apt-get install -y --no-install-recommends binutils ca-certificates tini \
 && rm -rf /var/lib/apt/lists/*
RUN set -e; mkdir -p /image/etc; mkdir -m 1777 /image/tmp; \
    files="$(ls $(command -v {{runtime}}) /usr/bin/tini \
      /usr/lib/*/libanl.so.1 \
      /usr/lib/*/libresolv.so.2 \
      /usr/lib/*/librt.so.1 \
      /usr/lib/*/libutil.so.1)"; \
{{/page}}
    libraries="$(ldd $files 2>/dev/null | sed -n 's|^[[:space:]]*\(.* => \)\{0,1\}\(/[^ ]*\) (.*|\2|p' | sort -u)"; \
    cp -L --parents $files $libraries /etc/ssl/certs/ca-certificates.crt /image; \
{{^isBun}}
    strip "/image$(command -v node)"; \
{{/isBun}}
    echo 'game:x:1001:1001::/tmp:/none' > /image/etc/passwd; \
    echo 'game:x:1001:' > /image/etc/group

# The image has no shell and no package manager. When you need tools, use kubectl debug.
FROM scratch
COPY --from=root /image/ /
{{#page}}
COPY --from=host /host/node_modules/ /host/node_modules/
{{/page}}
# The mode lets the image's user read your files, whatever their modes are on your machine.
COPY --chmod=755 {{copied}}
{{#page}}
# The root file system is read-only in the cluster. What the browser writes goes to /tmp, which the manifests mount.
ENV NODE_ENV=production HOME=/tmp
WORKDIR /host
{{/page}}
{{^page}}
# The root file system is read-only in the cluster, except /tmp, which the manifests mount.
ENV NODE_ENV=production HOME=/tmp PORT={{port}}{{nodeOptions}}
WORKDIR /server
{{/page}}
USER 1001:1001
EXPOSE {{port}}
{{#page}}
# tini is PID 1: it forwards signals and reaps the browser's zombies.
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/node", "/host/node_modules/gameserver-sidecar/dist/cli.js", "host", "/game", "--browser", "/usr/lib/chromium/chromium-headless-shell"]
# Default flags. "args" in the manifests replace them.
CMD {{command}}
{{/page}}
{{^page}}
# tini is PID 1: it forwards signals and reaps zombies.
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/{{runtime}}", "/server/{{entry}}"]
{{/page}}
`

export const DOCKERIGNORE = `# What docker build leaves out.
.git
**/node_modules
{{#rebuilt}}
# It is built anew in the image.
{{rebuilt}}
{{/rebuilt}}
# Secrets stay here.
{{#page}}
.env.local
.env.*.local
{{/page}}
{{^page}}
.env*
{{/page}}
*.log
Dockerfile
.dockerignore
gameserver.yaml
fleet.yaml
fleetautoscaler.yaml
allocation.yaml
edge.yaml
`
