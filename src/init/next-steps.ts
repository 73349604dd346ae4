import { existsSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Choices } from './choices.js'
import { textOf } from './program.js'
import { ignoredNames, SIDECAR, WEBRTC, WEBRTC_VERSION } from './project.js'
import type { PackageManager, Project } from './project.js'

const ADD: Readonly<Record<PackageManager, string>> = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add' }

const withVersion = (name: string): string => (name === WEBRTC ? `${name}@${WEBRTC_VERSION}` : name)

/** The commands that lead from the files to a Fleet. */
export function nextSteps({ kind, image, webrtc }: Choices, { hasPackage, packages, manager }: Project): string[] {
  const needed = kind === 'page' && webrtc ? [SIDECAR, WEBRTC] : [SIDECAR]
  const missing = needed.filter((name) => !packages.includes(name))
  const add = `${hasPackage ? '' : 'npm init -y && '}${ADD[manager]} ${missing.map(withVersion).join(' ')}`
  return [
    ...(missing.length === 0 ? [] : [add]),
    `docker build -t ${image} .`,
    // A name with a path in it is that of a registry.
    image.includes('/') ? `docker push ${image}` : `kind load docker-image ${image}`,
    'kubectl apply -f fleet.yaml -f fleetautoscaler.yaml',
  ]
}

/** What has to be there before the image can be made; nothing if it is. */
function missingBuild(folder: string, { kind, dir, entry }: Choices, { hasBuild }: Project): string[] {
  const [path, flag] = kind === 'page' ? [join(dir, 'index.html'), '--dir'] : [entry, '--entry']
  if (existsSync(join(folder, path))) return []
  if (hasBuild)
    return [`There is no ${path} yet: npm run build has to make it in the image; if it makes another, use ${flag}.`]
  return [
    kind === 'page'
      ? `There is no ${path} yet: build your game into ${dir} before the image, or name its folder with --dir.`
      : `There is no ${path}: name your program with --entry.`,
  ]
}

/** Why `docker build` would not make an image of this game server that works; with the cure, a sentence for each reason. */
export function imageProblems(folder: string, kept: readonly string[], choices: Choices, project: Project): string[] {
  const { outside, manager } = project
  const problems = missingBuild(folder, choices, project)
  if (choices.kind === 'node') problems.push(...missingPackages(folder, choices, project))
  if (kept.includes('Dockerfile') && !textOf(join(folder, 'Dockerfile')).includes(SIDECAR)) {
    problems.push(
      `The Dockerfile that was there doesn't name ${SIDECAR}, so its image starts no host: rename it and run init again.`,
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

/** Packages that the program takes and the image leaves out. */
function missingPackages(folder: string, { entry }: Choices, { devPackages, manager }: Project): string[] {
  const text = textOf(join(folder, entry))
  const imported = [...text.matchAll(/['"]((?:@[^'"/\s]+\/)?[^'"/\s]+)(?:\/[^'"\s]*)?['"]/g)].map(([, name]) => name)
  const isTaken = (name: string): boolean => imported.includes(name) || (name === 'tsx' && /\.[cm]?ts$/.test(entry))
  return devPackages
    .filter(isTaken)
    .map(
      (name) =>
        `${entry} ${imported.includes(name) ? 'imports' : 'needs'} ${name}, which is a devDependency, ` +
        `so the image goes without it: run "${ADD[manager]} ${name}".`,
    )
}

function dockerignoreProblems(folder: string, { kind, dir }: Choices, { hasBuild }: Project): string[] {
  const names = ignoredNames(join(folder, '.dockerignore'))
  const what = 'The .dockerignore that was there'
  const problems: string[] = []
  if (!names.some((name) => name.endsWith('node_modules'))) {
    problems.push(
      `${what} doesn't leave out node_modules, so those of this machine get into the image: add **/node_modules.`,
    )
  }
  if (kind === 'page' && !hasBuild && names.includes(dir)) {
    problems.push(`${what} leaves out ${dir}, which the Dockerfile copies: take that line away.`)
  }
  return problems
}
