import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type Choices, SIDECAR, WEBRTC, WEBRTC_VERSION } from './choices.js'
import { needsTsx, type Project } from './project.js'
import { importsOf, linesOf } from './source.js'

const withVersion = (name: string): string => (name === WEBRTC ? `${name}@${WEBRTC_VERSION}` : name)

/** The commands that create a Fleet from the files. */
export function nextSteps(
  { kind, image, webrtc, edge }: Choices,
  { hasPackage, packages, manager }: Project,
): string[] {
  const needed = kind === 'page' && webrtc ? [SIDECAR, WEBRTC] : [SIDECAR]
  const missing = needed.filter((name) => !packages.includes(name))
  const add = `${hasPackage ? '' : 'npm init -y && '}${manager.add} ${missing.map(withVersion).join(' ')}`
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

/** The command that runs the Fleet on this machine, after that of the build. */
export function localSteps({ kind, dir, entry }: Choices, project: Project): string[] {
  const { runtime, build } = project
  const by = runtime === 'bun' ? 'bun' : needsTsx(entry, project) ? 'node --import tsx' : 'node'
  const fleet = `npx ${SIDECAR} fleet -f fleet.yaml ${kind === 'page' ? dir : `-- ${by} ${entry}`}`
  return build === undefined ? [fleet] : [build, fleet]
}

/** The two commands to choose from when nothing says what the project's server is. */
export function alternatives({ folder, dir, entry, runtime }: Project): string[] {
  const init = `npx ${SIDECAR} init${folder === '.' ? '' : ` --into ${folder}`}`
  const note = runtime === 'deno' ? ' # if Node runs it, or a Dockerfile of your own' : ''
  return [`${init} --entry ${entry ?? 'server.mjs'}${note}`, `${init} --kind page --dir ${dir}`]
}

/** Why `docker build` would fail or build a broken image: for each reason, a sentence with the fix. */
export function imageProblems(kept: readonly string[], choices: Choices, project: Project): string[] {
  const { image, kind } = choices
  const isIgnoring = linesOf(join(project.folder, '.dockerignore')).some((name) => name.endsWith('node_modules'))
  const problems = [
    missingFile(choices, project),
    // Without a tag, a kubelet asks the registry at each start.
    !/@sha256:|:(?!latest$)[^/:]+$/.test(image) &&
      `The image ${image} has no tag of its own, so each start pulls it, which fails for an image that only kind has: ` +
        `write ${image.replace(/:latest$/, '')}:1, and a new tag for each build.`,
    ...(kind === 'page' ? [] : missingPackages(choices, project)),
    kept.includes('.dockerignore') &&
      !isIgnoring &&
      `The existing .dockerignore doesn't list node_modules, so this machine's packages get into the image: add **/node_modules.`,
  ]
  return problems.filter((problem) => typeof problem === 'string')
}

/** Says that the page or program isn't there yet. */
function missingFile({ kind, dir, entry, path = '/' }: Choices, { folder, build }: Project): string | false {
  const page = new URL(path, 'http://localhost').pathname.replace(/\/$/, '/index.html')
  const flag = kind === 'node' ? '--entry' : page === '/index.html' ? '--dir' : '--path'
  const file = kind === 'page' ? join(dir, page) : entry
  const fix =
    build === undefined
      ? `build your game into ${dir} before the image, or name another by ${flag}`
      : `${build} has to make it in the image; if it makes another, use ${flag}`
  return !existsSync(join(folder, file)) && `There is no ${file} yet: ${fix}.`
}

/** The devDependencies that the program imports and the image lacks. */
function missingPackages({ entry }: Choices, { folder, devPackages, manager, runtime }: Project): string[] {
  const users = new Map<string, string>()
  for (const [path, file] of importsOf(folder, entry).importers) {
    // `@team/lib/part` is of `@team/lib`.
    const name = /^(@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path
    if (!users.has(name)) users.set(name, `${file} imports`)
  }
  if (/\.[cm]?ts$/.test(entry) && runtime === 'node' && !users.has('tsx')) users.set('tsx', `${entry} needs`)
  return devPackages
    .filter((name) => users.has(name))
    .map(
      (name) =>
        `${users.get(name)!} ${name}, which is a devDependency, so the image goes without it: run "${manager.add} ${name}".`,
    )
}
