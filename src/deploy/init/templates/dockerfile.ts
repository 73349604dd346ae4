import { extraFlags } from '../choices.js'
import type { Choices } from '../choices.js'
import { SIDECAR, WEBRTC } from '../project.js'
import type { PackageManager, Project } from '../project.js'
import { join } from './text.js'

/** Debian 12 with Node, and with the same libraries in every stage. */
const NODE_IMAGE = 'node:24-bookworm-slim'

/** Libraries of glibc that native npm modules such as sharp load, and Node itself doesn't; 100 kB. */
const GLIBC = ['libanl.so.1', 'libresolv.so.2', 'librt.so.1', 'libutil.so.1']

export const dockerfile = (choices: Choices, project: Project): string =>
  choices.kind === 'page' ? pageImage(choices, project) : nodeImage(choices, project)

const pageImage = (choices: Choices, project: Project): string => {
  const { dir, image, port, webrtc } = choices
  return join(
    `# The game server's image: a page, the browser that runs it without a screen, and nothing else; about 390 MB.
#   docker build -t ${image} .
`,
    project.hasBuild &&
      `# 1. Your game's build.
FROM ${NODE_IMAGE} AS game
WORKDIR /project
${copyAndInstall(project, install(project))}
RUN ${project.manager} run build
`,
    `# ${project.hasBuild ? 2 : 1}. gameserver-sidecar, which runs the page${webrtc ? ', and the package for WebRTC' : ''}, in your project's version. Your game's packages aren't
# installed: its build holds them.
FROM ${NODE_IMAGE} AS host
WORKDIR /host
${copy(project.manifests)}
${installOnly(webrtc ? [SIDECAR, WEBRTC] : [SIDECAR])}

# ${project.hasBuild ? 3 : 2}. The browser, Node and tini, with only the libraries that they load. Debian installs more than 1 GB for them.
FROM ${NODE_IMAGE} AS root
${packages('binutils ca-certificates chromium-headless-shell fonts-dejavu-core tini')}
${collect([
  '$(command -v node)',
  '/usr/bin/tini',
  '/usr/lib/chromium/chromium-headless-shell',
  '/usr/lib/chromium/headless_*.pak',
  '/usr/lib/chromium/icudtl.dat',
  '/usr/lib/chromium/*snapshot*.bin',
  ...['libEGL.so', 'libGLESv2.so', 'libvk_swiftshader.so', 'libvulkan.so.1', 'vk_swiftshader_icd.json'].map(
    (file) => `/usr/lib/chromium/${file}`,
  ),
  '/usr/lib/*/libsoftokn3.so',
  '/usr/lib/*/libfreebl*.so',
])}

# The image has no shell and no package manager. When you need tools, use kubectl debug.
FROM scratch
COPY --from=root /image/ /
COPY --from=host /host/node_modules/ /host/node_modules/
# The mode lets the image's user read your files, whatever their modes are on your machine.
${project.hasBuild ? `COPY --chmod=755 --from=game /project/${dir}/ /game/` : `COPY --chmod=755 ${dir}/ /game/`}
# The root file system is read-only in the cluster. What the browser writes goes to /tmp, which the manifests mount.
ENV NODE_ENV=production HOME=/tmp
WORKDIR /host
USER 1001:1001
EXPOSE ${port}
# tini is PID 1: it forwards signals and reaps the browser's zombies.
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/node", "/host/node_modules/gameserver-sidecar/dist/cli.js", "host", "/game", "--browser", "/usr/lib/chromium/chromium-headless-shell"]
# Default flags. "args" in the manifests replace them.
CMD ${JSON.stringify(['--players-port', String(port), ...extraFlags(choices)]).replaceAll('","', '", "')}
`,
  )
}

const nodeImage = ({ entry, image, port }: Choices, project: Project): string =>
  join(
    `# The game server's image: your program, Node, and nothing else; about 115 MB and your packages.
#   docker build -t ${image} .

# 1. Your program with its packages${project.hasBuild ? ', without those that only its build needs' : ''}.
FROM ${NODE_IMAGE} AS server
WORKDIR /server
${copyAndInstall(project, project.hasBuild ? install(project) : installForProduction(project))}
${
  project.hasBuild
    ? `RUN ${project.manager} run build && ${prune(project.manager)} && rm -f .npmrc`
    : 'RUN rm -f .npmrc'
}

# 2. Node and tini, with the libraries that they need.
FROM ${NODE_IMAGE} AS root
${packages('binutils ca-certificates tini')}
${collect(['$(command -v node)', '/usr/bin/tini', ...GLIBC.map((library) => `/usr/lib/*/${library}`)])}

# The image has no shell and no package manager. When you need tools, use kubectl debug.
FROM scratch
COPY --from=root /image/ /
# The mode lets the image's user read your files, whatever their modes are on your machine.
COPY --chmod=755 --from=server /server/ /server/
# The root file system is read-only in the cluster, except /tmp, which the manifests mount.
ENV NODE_ENV=production HOME=/tmp PORT=${port}${isByTsx(entry, project) ? ' NODE_OPTIONS="--import tsx"' : ''}
WORKDIR /server
USER 1001:1001
EXPOSE ${port}
# tini is PID 1: it forwards signals and reaps zombies.
ENTRYPOINT ["/usr/bin/tini", "--", "/usr/local/bin/node", "/server/${entry}"]
`,
  )

/** Node itself runs TypeScript only if erasing the types is enough. */
const isByTsx = (entry: string, { packages }: Project): boolean => /\.[cm]?ts$/.test(entry) && packages.includes('tsx')

/** Copies files into the step's folder. A path in package.json may contain spaces or line ends. */
const copy = (files: readonly string[]): string =>
  files.every((file) => /^[-\w./@+*]+$/.test(file))
    ? `COPY ${files.join(' ')} ./`
    : `COPY [${[...files, './'].map((file) => JSON.stringify(file)).join(', ')}]`

/** Packages are installed before the sources are copied, so that a change of sources installs nothing. */
const copyAndInstall = (project: Project, command: string): string =>
  project.installNeedsSources
    ? `# Everything is copied first, since a script or patch of the installation may need it.
COPY . .
RUN ${command}`
    : `${copy(project.manifests)}
RUN ${command}
COPY . .`

/** Newer versions of Yarn create node_modules, from which the image copies packages, only with this setting. */
const YARN = 'corepack enable && YARN_NODE_LINKER=node-modules yarn install'

const hasLock = ({ manifests }: Project): boolean => manifests.some((file) => /lock|shrinkwrap/.test(file))

function install(project: Project): string {
  if (project.manager === 'pnpm') return 'corepack enable && pnpm install --frozen-lockfile'
  if (project.manager === 'yarn') return YARN
  return hasLock(project) ? 'npm ci' : 'npm install'
}

function installForProduction(project: Project): string {
  if (project.manager === 'pnpm') return 'corepack enable && pnpm install --frozen-lockfile --prod'
  if (project.manager === 'yarn') return YARN
  return `${install(project)} --omit=dev`
}

function prune(manager: PackageManager): string {
  if (manager === 'pnpm') return 'pnpm prune --prod'
  // Newer versions of Yarn have no command to prune.
  return manager === 'yarn' ? 'true' : 'npm prune --omit=dev'
}

/** Keeps only these packages in package.json; npm takes their versions from the lock file, if there is one. */
const installOnly = (names: readonly string[]): string => `RUN node -e " \\
      const { dependencies, devDependencies } = require('./package.json'); \\
      const needed = Object.fromEntries([${names.map((name) => `'${name}'`).join(', ')}].map((name) => { \\
        const version = { ...devDependencies, ...dependencies }[name]; \\
        if (!version) throw new Error('package.json lacks ' + name + ': run npm install ' + name); \\
        return [name, version]; \\
      })); \\
      require('fs').writeFileSync('package.json', JSON.stringify({ dependencies: needed }))" \\
 && npm install --omit=dev --no-audit --no-fund`

const packages = (names: string): string => `RUN apt-get update \\
 && apt-get install -y --no-install-recommends ${names} \\
 && rm -rf /var/lib/apt/lists/*`

/**
 * Copies programs and the libraries that `ldd` names into /image. The files include those
 * opened only at run time: the network security modules, and the drivers for WebGL in software.
 */
const collect = (files: readonly string[]): string => {
  const hasFonts = files.some((file) => file.includes('chromium'))
  return `RUN set -e; mkdir -p /image/etc; mkdir -m 1777 /image/tmp; \\
    files="$(ls ${files.join(' \\\n      ')})"; \\
    libraries="$(ldd $files 2>/dev/null | sed -n 's|^[[:space:]]*\\(.* => \\)\\{0,1\\}\\(/[^ ]*\\) (.*|\\2|p' | sort -u)"; \\
    cp -L --parents $files $libraries /etc/ssl/certs/ca-certificates.crt /image; \\${
      hasFonts ? '\n    cp -rL --parents /etc/fonts /usr/share/fonts /image; \\' : ''
    }
    strip "/image$(command -v node)"; \\
    echo 'game:x:1001:1001::/tmp:/none' > /image/etc/passwd; \\
    echo 'game:x:1001:' > /image/etc/group`
}

/** The files that `docker build` should ignore. */
export const dockerignore = ({ kind, dir }: Choices, project: Project): string => `# What docker build leaves out.
.git
**/node_modules
${kind === 'page' && project.hasBuild && project.ignored.includes(dir) ? `# It is built anew in the image.\n${dir}\n` : ''}# Secrets stay here.
${kind === 'node' ? '.env*' : '.env.local\n.env.*.local'}
*.log
Dockerfile
.dockerignore
gameserver.yaml
fleet.yaml
fleetautoscaler.yaml
allocation.yaml
edge.yaml
`
