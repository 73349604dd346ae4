import { existsSync } from 'node:fs'
import { basename, join, normalize } from 'node:path'
import type { Choices } from './choices.js'
import { isFile, textOf } from './program.js'
import { ignoredNames, SIDECAR, WEBRTC, WEBRTC_VERSION } from './project.js'
import { EDGE_SECRET } from './templates/edge.js'
import type { PackageManager, Project } from './project.js'

const ADD: Readonly<Record<PackageManager, string>> = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add' }

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
    ...(edge === undefined
      ? []
      : [
          `kubectl create secret tls ${EDGE_SECRET} --cert=fullchain.pem --key=privkey.pem`,
          'kubectl apply -f edge.yaml',
        ]),
  ]
}

/** Says that the page or program is missing. */
function missingBuild(folder: string, choices: Choices, { hasBuild }: Project): string[] {
  const { kind, dir, entry } = choices
  const page = new URL(choices.path ?? '/', 'http://localhost').pathname.replace(/\/$/, '/index.html')
  const [path, flag] =
    kind === 'page' ? [join(dir, page), page === '/index.html' ? '--dir' : '--path'] : [entry, '--entry']
  if (existsSync(join(folder, path))) return []
  if (hasBuild)
    return [`There is no ${path} yet: npm run build has to make it in the image; if it makes another, use ${flag}.`]
  return [
    kind === 'page'
      ? `There is no ${path} yet: build your game into ${dir} before the image, or name its ${flag === '--dir' ? 'folder' : 'page'} with ${flag}.`
      : `There is no ${path}: name your program with --entry.`,
  ]
}

/** Why `docker build` would fail or build a broken image: for each reason, a sentence with the fix. */
export function imageProblems(folder: string, kept: readonly string[], choices: Choices, project: Project): string[] {
  const { outside, manager } = project
  const problems = missingBuild(folder, choices, project)
  problems.push(...nodeOptionsProblems(choices, project))
  if (choices.kind === 'node') problems.push(...missingImports(folder, choices, project))
  for (const file of project.manifests)
    if (file.endsWith('.tgz') && file !== (outside && basename(outside)) && !existsSync(join(folder, file)))
      problems.push(`There is no ${file}, from which package.json installs ${SIDECAR}: docker build needs it.`)
  if (kept.includes('Dockerfile') && !textOf(join(folder, 'Dockerfile')).includes(SIDECAR)) {
    problems.push(
      `The existing Dockerfile doesn't name ${SIDECAR}, so its image starts no host: rename it and run init again.`,
    )
  }
  if (kept.includes('.dockerignore')) problems.push(...dockerignoreProblems(folder, choices, project))
  if (outside !== undefined) {
    const file = basename(outside)
    problems.push(
      `${SIDECAR} is installed from ${outside}, where docker build can't reach it: copy it into the project, then run ` +
        `"${ADD[manager]} ./${file}".`,
    )
  }
  return problems
}

/** A docker build sees only the Dockerfile's variables, and the image starts the program without npm. */
function nodeOptionsProblems({ kind }: Choices, { scripts }: Project): string[] {
  const [build, start] = [scripts['build'], scripts['start']].map((script) =>
    typeof script === 'string' ? script : '',
  )
  const problems: string[] = []
  // In sh, the Windows command `set NODE_OPTIONS=` sets no variable.
  if (/(?<!\bset )\bNODE_OPTIONS(?!=)|\bset NODE_OPTIONS/.test(build!)) {
    problems.push(
      'npm run build takes NODE_OPTIONS from the shell, which docker build lacks: add an ENV line to the Dockerfile before the build.',
    )
  }
  if (kind === 'node' && start!.includes('NODE_OPTIONS')) {
    problems.push(
      'npm start sets NODE_OPTIONS, but the image starts the program without npm: add an ENV line to the Dockerfile.',
    )
  }
  return problems
}

/** Files and packages that the program imports and the image lacks. */
function missingImports(folder: string, { entry }: Choices, { devPackages, manager, hasBuild }: Project): string[] {
  const { importers, missing } = importsOf(folder, entry)
  if (/\.[cm]?ts$/.test(entry) && !importers.has('tsx')) importers.set('tsx', undefined)
  return [
    ...(hasBuild ? [] : missing.map(([file, path]) => `${file} imports ${path}, which is not there.`)),
    ...devPackages
      .filter((name) => importers.has(name))
      .map((name) => {
        const file = importers.get(name)
        const who = file === undefined ? `${entry} needs` : `${file} imports`
        return `${who} ${name}, which is a devDependency, so the image goes without it: run "${ADD[manager]} ${name}".`
      }),
  ]
}

interface Imports {
  /** The first file that names each package; undefined for what starts the program. */
  readonly importers: Map<string, string | undefined>
  /** Missing files, each with the file that imports it. */
  readonly missing: readonly (readonly [file: string, path: string])[]
}

const MOST_FILES = 500
/** Extensions that an import may omit, and those that TypeScript writes as `.js`. */
const ENDINGS = ['', '.js', '.mjs', '.cjs', '.ts', '.mts', '.tsx', '.jsx', '.json', '/index.js', '/index.ts']

/** Follows the relative imports of a program. Every quoted word counts as a package: options name some. */
function importsOf(folder: string, entry: string): Imports {
  const importers = new Map<string, string>()
  const missing: (readonly [string, string])[] = []
  const files = new Set([normalize(entry)])
  const isThere = (path: string): boolean => isFile(join(folder, path))
  for (const file of files) {
    const text = textOf(join(folder, file)).replace(/\b(?:im|ex)port\s+type\s[^'"]*(['"]).*?\1/g, '')
    for (const [, name] of text.matchAll(/['"]((?:@[^'"/\s]+\/)?[^'"/\s]+)(?:\/[^'"\s]*)?['"]/g))
      if (!importers.has(name!)) importers.set(name!, file)
    for (const [, path] of text.matchAll(/\b(?:from|import|require)\s*\(?\s*['"](\.\.?\/[^'"\s?]+)['"]/g)) {
      const target = join(file, '..', path!)
      const bare = target.replace(/\.([cm]?)jsx?$/, '')
      const found = [target, bare].flatMap((one) => ENDINGS.map((ending) => one + ending)).find(isThere)
      if (found === undefined) missing.push([file, path!])
      else if (files.size < MOST_FILES && /\.[cm]?[jt]sx?$/.test(found)) files.add(found)
    }
  }
  return { importers, missing }
}

function dockerignoreProblems(folder: string, { kind, dir }: Choices, { hasBuild }: Project): string[] {
  const names = ignoredNames(join(folder, '.dockerignore'))
  const what = 'The existing .dockerignore'
  const problems: string[] = []
  if (!names.some((name) => name.endsWith('node_modules'))) {
    problems.push(
      `${what} doesn't list node_modules, so this machine's packages get into the image: add **/node_modules.`,
    )
  }
  if (kind === 'page' && !hasBuild && names.includes(dir)) {
    problems.push(`${what} lists ${dir}, which the Dockerfile copies: remove that line.`)
  }
  return problems
}
