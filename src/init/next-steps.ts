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
