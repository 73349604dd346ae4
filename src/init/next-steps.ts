import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Choices } from './choices.js'
import { SIDECAR, WEBRTC } from './project.js'
import type { PackageManager, Project } from './project.js'

const ADD: Readonly<Record<PackageManager, string>> = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add' }

/** The commands that lead from the files to a Fleet. */
export function nextSteps({ kind, image, webrtc }: Choices, { hasPackage, packages, manager }: Project): string[] {
  const needed = kind === 'page' && webrtc ? [SIDECAR, WEBRTC] : [SIDECAR]
  const missing = needed.filter((name) => !packages.includes(name))
  const add = `${hasPackage ? '' : 'npm init -y && '}${ADD[manager]} ${missing.join(' ')}`
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
