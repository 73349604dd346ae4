import { existsSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { Choices } from './choices.js'
import { SIDECAR, WEBRTC, WEBRTC_VERSION } from './project.js'
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

/** What has to be there before the image can be made, in a sentence; nothing if it is. */
export function missingBuild(folder: string, { kind, dir }: Choices, { hasBuild }: Project): string | undefined {
  if (kind !== 'page' || hasBuild || existsSync(join(folder, dir, 'index.html'))) return undefined
  return `There is no ${dir}/index.html yet: build your game into ${dir} before the image, or name its folder with --dir.`
}

/** Why `docker build` would not make an image of this game server, with the cure; one sentence for each reason. */
export function imageProblems(folder: string, kept: readonly string[], { outside, manager }: Project): string[] {
  const problems: string[] = []
  if (kept.includes('Dockerfile') && !readText(join(folder, 'Dockerfile')).includes(SIDECAR)) {
    problems.push(
      `The Dockerfile that was there doesn't name ${SIDECAR}, so its image starts no host: rename it and run init again.`,
    )
  }
  if (outside !== undefined) {
    const file = basename(outside)
    problems.push(
      `${SIDECAR} is installed from ${outside}, where docker build can't reach it: copy it into the project, then run ` +
        `"${ADD[manager]} ./${file}".`,
    )
  }
  return problems
}

/** What can't be read, such as a link that leads nowhere, holds nothing. */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
