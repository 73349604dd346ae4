import type { Choices } from './choices.js'
import { SIDECAR, WEBRTC, WEBRTC_VERSION } from './choices.js'
import type { PackageManager, Project } from './project.js'

export const ADD: Readonly<Record<PackageManager, string>> = {
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
