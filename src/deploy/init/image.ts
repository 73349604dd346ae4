import { extraFlags, SIDECAR, WEBRTC } from './choices.js'
import type { Choices } from './choices.js'
import type { PackageManager, Project } from './project.js'
import type { Values } from './fill.js'

/** The values of the Dockerfile and of .dockerignore. */
export function imageValues(choices: Choices, project: Project): Values {
  const { kind, dir, entry, image, port, webrtc } = choices
  const page = kind === 'page'
  const { build, runtime, ignored } = project
  const built = build === undefined ? `${dir}/` : `--from=game /project/${dir}/`
  const hosting = webrtc ? [SIDECAR, WEBRTC] : [SIDECAR]
  const isBun = !page && runtime === 'bun'
  const isByTsx = /\.[cm]?ts$/.test(entry) && project.packages.includes('tsx') && !isBun
  return {
    ...{ page, image, port, webrtc, entry, build, isBun },
    runtime: isBun ? 'bun' : 'node',
    Runtime: isBun ? 'Bun' : 'Node',
    megabytes: isBun ? 110 : 115,
    copy: copyManifests(project),
    copyAndInstall: copyAndInstall(project, !page && build === undefined),
    finish: buildAndPrune(project),
    hosting: hosting.map((name) => `'${name}'`).join(', '),
    copied: page ? `${built} /game/` : '--from=server /server/ /server/',
    // Node itself runs TypeScript only if erasing the types is enough.
    nodeOptions: isByTsx ? ' NODE_OPTIONS="--import tsx"' : '',
    command: JSON.stringify(['--players-port', String(port), ...extraFlags(choices)]).replaceAll('","', '", "'),
    rebuilt: page && build !== undefined && ignored.includes(dir) ? dir : undefined,
  }
}

/** Copies files into the step's folder. A path in package.json may contain spaces or line ends. */
const copyManifests = ({ manifests }: Project): string =>
  manifests.every((file) => /^[-\w./@+*]+$/.test(file))
    ? `COPY ${manifests.join(' ')} ./`
    : `COPY [${[...manifests, './'].map((file) => JSON.stringify(file)).join(', ')}]`

/** Packages are installed before the sources are copied, so that a change of sources installs nothing. */
function copyAndInstall(project: Project, isForProduction: boolean): string {
  const command = INSTALL[project.manager](project, isForProduction)
  return project.installNeedsSources
    ? `# Everything is copied first, since a script or patch of the installation may need it.\nCOPY . .\nRUN ${command}`
    : `${copyManifests(project)}\nRUN ${command}\nCOPY . .`
}

type Install = (project: Project, isForProduction: boolean) => string

/** Newer versions of Yarn create node_modules, from which the image copies packages, only with this setting. */
const YARN = 'corepack enable && YARN_NODE_LINKER=node-modules yarn install'
const BUN = 'bun install --frozen-lockfile'

const INSTALL: Readonly<Record<PackageManager, Install>> = {
  npm: ({ manifests }, isForProduction) =>
    `npm ${manifests.some((file) => /lock|shrinkwrap/.test(file)) ? 'ci' : 'install'}${isForProduction ? ' --omit=dev' : ''}`,
  pnpm: (_, isForProduction) => `corepack enable && pnpm install --frozen-lockfile${isForProduction ? ' --prod' : ''}`,
  yarn: () => YARN,
  bun: (_, isForProduction) => `npm install --global bun@1 && ${BUN}${isForProduction ? ' --production' : ''}`,
}

/** Newer versions of Yarn have no command to prune. */
const PRUNE: Readonly<Record<PackageManager, string | undefined>> = {
  npm: 'npm prune --omit=dev',
  pnpm: 'pnpm prune --prod',
  yarn: undefined,
  bun: `rm -rf node_modules && ${BUN} --production`,
}

/** Builds a program, and removes the packages that only its build needs, and the registry's token. */
const buildAndPrune = ({ build, manager }: Project): string =>
  [...(build === undefined ? [] : [build, PRUNE[manager]]), 'rm -f .npmrc']
    .filter((command) => command !== undefined)
    .join(' && ')
