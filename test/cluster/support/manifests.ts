import { join } from 'node:path'
import { parse } from 'yaml'
import { choose } from '../../../src/deploy/init/choose.js'
import { inspectProject } from '../../../src/deploy/init/project.js'
import { renderFiles } from '../../../src/deploy/init/render.js'
import { root } from '../../support/source.js'

const project = inspectProject(join(root, 'deploy'))
const given = { kind: 'page', dir: 'dist', counter: ['players=8'], list: ['roster=8'] }
/** The files that `deploy/build.mjs` lets init write for the demo, by name. */
export const demoFiles = renderFiles(await choose(given, project), project)
const parsed = (file: string): unknown => parse(demoFiles.get(file)!)

interface Fleet {
  metadata: { namespace?: string }
  spec: {
    replicas: number
    template: { spec: { health?: object; template: { spec: PodSpec } } }
  }
}

interface PodSpec {
  terminationGracePeriodSeconds?: number
  containers: { name: string; image: string; command?: string[]; args?: string[]; resources?: object }[]
}

interface Allocation {
  metadata?: { name?: string; namespace?: string }
  spec: { selectors?: { gameServerState?: string }[] }
}

/**
 * The Fleet that init writes for a page, with containers that only wait: the game is played outside of them, so nothing in
 * them beats. `CLUSTER_TEST_IMAGE` names another image where nodes can't fetch this one; it has a shell.
 */
export function testFleet(replicas: number): object {
  const fleet = parsed('fleet.yaml') as Fleet
  const { spec } = fleet.spec.template
  spec.health = { disabled: true }
  spec.template.spec.terminationGracePeriodSeconds = 5
  for (const container of spec.template.spec.containers) {
    container.image = process.env['CLUSTER_TEST_IMAGE'] ?? 'busybox'
    container.command = ['sh', '-c', 'trap "exit 0" TERM; sleep 86400 & wait']
    delete container.args
    delete container.resources
  }
  delete fleet.metadata.namespace
  fleet.spec.replicas = replicas
  return fleet
}

/** The allocation that init writes for it. */
export function testAllocation(): Allocation {
  const allocation = parsed('allocation.yaml') as Allocation
  delete allocation.metadata?.namespace
  return allocation
}
