import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Choices, SIDECAR, WEBRTC, WEBRTC_VERSION } from './choices.js'
import { INSTALL_SCRIPTS, type PackageManager, type Project } from './project.js'
import { ignoredNames, importsOf, packageOf, sourceOf, textOf } from './source.js'

const ADD: Readonly<Record<PackageManager, string>> = {
  npm: 'npm install',
  pnpm: 'pnpm add',
  yarn: 'yarn add',
  bun: 'bun add',
}

const withVersion = (name: string): string => (name === WEBRTC ? `${name}@${WEBRTC_VERSION}` : name)

/** The commands that create a Fleet from the files. */
export function nextSteps(
  { kind, image, webrtc, edge }: Choices,
  { hasPackage, packages, manager }: Project,
): string[] {
  const needed = kind === 'page' && webrtc ? [SIDECAR, WEBRTC] : [SIDECAR]
  const missing = needed.filter((name) => !packages.includes(name))
  const add = `${hasPackage ? '' : 'npm init -y && '}${ADD[manager]} ${missing.map(withVersion).join(' ')}`
  return [
    ...(missing.length === 0 ? [] : [add]),
    `docker build -t ${image} .`,
    // An image with a path belongs to a registry.
    image.includes('/') ? `docker push ${image}` : `kind load docker-image ${image}`,
    'kubectl apply -f fleet.yaml -f fleetautoscaler.yaml',
    'kubectl create -f allocation.yaml -o yaml',
    ...(edge === undefined
      ? []
      : ['kubectl create secret tls edge-tls --cert=fullchain.pem --key=privkey.pem', 'kubectl apply -f edge.yaml']),
  ]
}

/** The command that runs the Fleet on this machine, and the one that plays a matchmaker for it. */
export function localSteps({ kind, dir, entry }: Choices, { runtime, build, packages }: Project): string[] {
  const by =
    runtime === 'bun' ? 'bun' : /\.[cm]?ts$/.test(entry) && packages.includes('tsx') ? 'node --import tsx' : 'node'
  return [
    ...(build === undefined ? [] : [build]),
    `npx ${SIDECAR} fleet -f fleet.yaml ${kind === 'page' ? dir : `-- ${by} ${entry}`}`,
  ]
}

/** The two commands to choose from when nothing says what the project's server is. */
export function alternatives({ folder, dir, entry, runtime }: Project): string[] {
  const init = `npx ${SIDECAR} init${folder === '.' ? '' : ` --into ${folder}`}`
  const note = runtime === 'deno' ? ' # if Node runs it, or a Dockerfile of your own' : ''
  return [`${init} --entry ${entry ?? 'server.mjs'}${note}`, `${init} --kind page --dir ${dir}`]
}

/** Why `docker build` would fail or build a broken image: for each reason, a sentence with the fix. */
export function imageProblems(kept: readonly string[], choices: Choices, project: Project): string[] {
  const { folder, outside, manager, manifests } = project
  const isPage = choices.kind === 'page'
  const copy = outside === undefined ? '' : basename(outside)
  const absent = manifests.filter((file) => file.endsWith('.tgz') && file !== copy && !existsSync(join(folder, file)))
  const isWithoutHost = isPage && kept.includes('Dockerfile') && !textOf(join(folder, 'Dockerfile')).includes(SIDECAR)
  return [
    ...missingBuild(choices, project),
    ...tagProblems(choices),
    ...(isPage ? [] : [...missingImports(choices, project), ...lifecycleProblems(project), ...secretProblems(project)]),
    ...absent.map((file) => `There is no ${file}, from which package.json installs ${SIDECAR}: docker build needs it.`),
    ...when(
      isWithoutHost,
      `The existing Dockerfile doesn't name ${SIDECAR}, so its image starts no host: rename it and run init again.`,
    ),
    ...(kept.includes('.dockerignore') ? dockerignoreProblems(choices, project) : []),
    ...when(
      outside !== undefined,
      `${SIDECAR} is installed from ${outside}, where docker build can't reach it: copy it into the project, then run ` +
        `"${ADD[manager]} ./${copy}".`,
    ),
  ]
}

const when = (isTrue: boolean, sentence: string): string[] => (isTrue ? [sentence] : [])

/** Says that the page or program isn't there yet. */
function missingBuild({ kind, dir, entry, path = '/' }: Choices, { folder, build }: Project): string[] {
  const page = new URL(path, 'http://localhost').pathname.replace(/\/$/, '/index.html')
  const flag = kind === 'node' ? '--entry' : page === '/index.html' ? '--dir' : '--path'
  const file = kind === 'page' ? join(dir, page) : entry
  const fix =
    build === undefined
      ? `build your game into ${dir} before the image, or name another by ${flag}`
      : `${build} has to make it in the image; if it makes another, use ${flag}`
  return when(!existsSync(join(folder, file)), `There is no ${file} yet: ${fix}.`)
}

/** Without a tag, a kubelet asks the registry at each start. */
const tagProblems = ({ image }: Choices): string[] =>
  when(
    !/@sha256:|:(?!latest$)[^/:]+$/.test(image),
    `The image ${image} has no tag of its own, so each start pulls it, which fails for an image that only kind has: ` +
      `write ${image.replace(/:latest$/, '')}:1, and a new tag for each build.`,
  )

/** Files and packages that the program imports and the image lacks. */
function missingImports({ entry }: Choices, { folder, devPackages, manager, build, runtime }: Project): string[] {
  const { importers, missing } = importsOf(folder, sourceOf(folder, entry))
  const files = new Map<string, string>()
  for (const [path, file] of importers) if (!files.has(packageOf(path))) files.set(packageOf(path), `${file} imports`)
  if (/\.[cm]?ts$/.test(entry) && runtime === 'node' && !files.has('tsx')) files.set('tsx', `${entry} needs`)
  return [
    ...(build === undefined ? missing.map(([file, path]) => `${file} imports ${path}, which is not there.`) : []),
    ...devPackages
      .filter((name) => files.has(name))
      .map(
        (name) =>
          `${files.get(name)!} ${name}, which is a devDependency, so the image goes without it: run "${ADD[manager]} ${name}".`,
      ),
  ]
}

/** Scripts that an install without devDependencies runs, and that need one of these. */
function lifecycleProblems({ folder, scripts, devPackages, build, manager }: Project): string[] {
  if (build !== undefined) return []
  return INSTALL_SCRIPTS.flatMap((name) => {
    const words = (scripts[name] ?? '').split(/[\s&|;]+/)
    const needed = devPackages.find((one) => commandsOf(folder, one).some((command) => words.includes(command)))
    return when(
      needed !== undefined,
      `The script ${name} runs ${needed}, which is a devDependency, so the install in docker build fails: ` +
        `run "${ADD[manager]} ${needed}", or drop the script.`,
    )
  })
}

/** The commands of an installed package, else its own name. */
function commandsOf(folder: string, name: string): string[] {
  const bin = /"bin"\s*:\s*\{([^}]*)\}/.exec(textOf(join(folder, 'node_modules', name, 'package.json')))?.[1] ?? ''
  return [name, ...[...bin.matchAll(/"([^"]+)"\s*:/g)].map(([, command]) => command!)]
}

/** The image goes without `.env` files, which hold secrets. */
const secretProblems = ({ folder, scripts }: Project): string[] =>
  when(
    existsSync(join(folder, '.env')) || /--env-file/.test(scripts['start'] ?? ''),
    'The image goes without .env, which .dockerignore lists: give its variables as env in fleet.yaml, secrets from a Secret.',
  )

function dockerignoreProblems({ kind, dir }: Choices, { folder, build }: Project): string[] {
  const names = ignoredNames(join(folder, '.dockerignore'))
  return [
    ...when(
      !names.some((name) => name.endsWith('node_modules')),
      `The existing .dockerignore doesn't list node_modules, so this machine's packages get into the image: add **/node_modules.`,
    ),
    ...when(
      kind === 'page' && build === undefined && names.includes(dir),
      `The existing .dockerignore lists ${dir}, which the Dockerfile copies: remove that line.`,
    ),
  ]
}
