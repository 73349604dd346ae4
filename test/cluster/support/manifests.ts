import { parse } from 'yaml'
import { read } from '../../support/source.js'

const parsed = (file: string): unknown => parse(read(file))

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
 * The Fleet that the package deploys, with containers that only wait: the game is played outside of them, so nothing in
 * them beats. `CLUSTER_TEST_IMAGE` names another image where nodes can't fetch this one; it has a shell.
 */
export function testFleet(replicas: number): object {
  const fleet = parsed('deploy/fleet.yaml') as Fleet
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

/** The allocation that the package's guide makes. */
export function testAllocation(): Allocation {
  const allocation = parsed('deploy/allocation.yaml') as Allocation
  delete allocation.metadata?.namespace
  return allocation
}
