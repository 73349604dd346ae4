import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import { SIDECAR } from './choices.js'
import type { Choices } from './choices.js'
import { ADD } from './next-steps.js'
import { INSTALL_SCRIPTS } from './project.js'
import type { Project } from './project.js'
import { ignoredNames, importsOf, packageOf, sourceOf, textOf } from './source.js'

/** Why `docker build` would fail or build a broken image: for each reason, a sentence with the fix. */
export function imageProblems(kept: readonly string[], choices: Choices, project: Project): string[] {
  const { folder, outside, manager } = project
  const { kind } = choices
  const problems = [
    ...missingBuild(choices, project),
    ...tagProblems(choices),
    ...nodeOptionsProblems(choices, project),
    ...(kind === 'node'
      ? [...missingImports(choices, project), ...lifecycleProblems(project), ...secretProblems(project)]
      : []),
  ]
  for (const file of project.manifests)
    if (file.endsWith('.tgz') && file !== (outside && basename(outside)) && !existsSync(join(folder, file)))
      problems.push(`There is no ${file}, from which package.json installs ${SIDECAR}: docker build needs it.`)
  if (kind === 'page' && kept.includes('Dockerfile') && !textOf(join(folder, 'Dockerfile')).includes(SIDECAR)) {
    problems.push(
      `The existing Dockerfile doesn't name ${SIDECAR}, so its image starts no host: rename it and run init again.`,
    )
  }
  if (kept.includes('.dockerignore')) problems.push(...dockerignoreProblems(choices, project))
  if (outside !== undefined) {
    const file = basename(outside)
    problems.push(
      `${SIDECAR} is installed from ${outside}, where docker build can't reach it: copy it into the project, then run ` +
        `"${ADD[manager]} ./${file}".`,
    )
  }
  return problems
}

/** Says that the page or program isn't there yet. */
function missingBuild({ kind, dir, entry, path = '/' }: Choices, { folder, build }: Project): string[] {
  const page = new URL(path, 'http://localhost').pathname.replace(/\/$/, '/index.html')
  const flag = kind === 'node' ? '--entry' : page === '/index.html' ? '--dir' : '--path'
  const file = kind === 'page' ? join(dir, page) : entry
  if (existsSync(join(folder, file))) return []
  if (build !== undefined)
    return [`There is no ${file} yet: ${build} has to make it in the image; if it makes another, use ${flag}.`]
  const what = flag === '--dir' ? 'folder' : 'page'
  return kind === 'page'
    ? [`There is no ${file} yet: build your game into ${dir} before the image, or name its ${what} with ${flag}.`]
    : []
}

/** Without a tag, a kubelet asks the registry at each start. */
const tagProblems = ({ image }: Choices): string[] =>
  /@sha256:|:(?!latest$)[^/:]+$/.test(image)
    ? []
    : [
        `The image ${image} has no tag of its own, so each start pulls it, which fails for an image that only kind has: ` +
          `write ${image.replace(/:latest$/, '')}:1, and a new tag for each build.`,
      ]

/** A docker build sees only the Dockerfile's variables, and the image starts the program without npm. */
function nodeOptionsProblems({ kind }: Choices, { scripts, manager }: Project): string[] {
  const { build = '', start = '' } = scripts
  const problems: string[] = []
  // In sh, the Windows command `set NODE_OPTIONS=` sets no variable.
  if (/(?<!\bset )\bNODE_OPTIONS(?!=)|\bset NODE_OPTIONS/.test(build)) {
    problems.push(
      `${manager} run build takes NODE_OPTIONS from the shell, which docker build lacks: add an ENV line to the Dockerfile before the build.`,
    )
  }
  if (kind === 'node' && start.includes('NODE_OPTIONS')) {
    problems.push(
      'npm start sets NODE_OPTIONS, but the image starts the program without npm: add NODE_OPTIONS to the env in the manifests.',
    )
  }
  return problems
}

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
    return needed === undefined
      ? []
      : [
          `The script ${name} runs ${needed}, which is a devDependency, so the install in docker build fails: ` +
            `run "${ADD[manager]} ${needed}", or drop the script.`,
        ]
  })
}

/** The commands of an installed package, else its own name. */
function commandsOf(folder: string, name: string): string[] {
  const bin = /"bin"\s*:\s*\{([^}]*)\}/.exec(textOf(join(folder, 'node_modules', name, 'package.json')))?.[1] ?? ''
  return [name, ...[...bin.matchAll(/"([^"]+)"\s*:/g)].map(([, command]) => command!)]
}

/** The image goes without `.env` files, which hold secrets. */
function secretProblems({ folder, scripts }: Project): string[] {
  const isUsed = existsSync(join(folder, '.env')) || /--env-file/.test(scripts['start'] ?? '')
  return isUsed
    ? [
        'The image goes without .env, which .dockerignore lists: give its variables as env in fleet.yaml, secrets from a Secret.',
      ]
    : []
}

function dockerignoreProblems({ kind, dir }: Choices, { folder, build }: Project): string[] {
  const names = ignoredNames(join(folder, '.dockerignore'))
  const what = 'The existing .dockerignore'
  const problems: string[] = []
  if (!names.some((name) => name.endsWith('node_modules'))) {
    problems.push(
      `${what} doesn't list node_modules, so this machine's packages get into the image: add **/node_modules.`,
    )
  }
  if (kind === 'page' && build === undefined && names.includes(dir)) {
    problems.push(`${what} lists ${dir}, which the Dockerfile copies: remove that line.`)
  }
  return problems
}
