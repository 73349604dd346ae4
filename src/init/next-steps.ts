import type { Choices } from './choices.js'
import type { PackageManager, Project } from './project.js'

const ADD: Readonly<Record<PackageManager, string>> = { npm: 'npm install', pnpm: 'pnpm add', yarn: 'yarn add' }

/** The commands that lead from the files to a Fleet. */
export function nextSteps({ image }: Choices, { hasPackage, hasSidecar, manager }: Project): string[] {
  const add = `${hasPackage ? '' : 'npm init -y && '}${ADD[manager]} gameserver-sidecar`
  return [
    ...(hasSidecar ? [] : [add]),
    `docker build -t ${image} .`,
    // A name with a path in it is that of a registry.
    image.includes('/') ? `docker push ${image}` : `kind load docker-image ${image}`,
    'kubectl apply -f fleet.yaml -f fleetautoscaler.yaml',
  ]
}
