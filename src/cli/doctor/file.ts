import { metadataKey } from '../../protocol/names.js'
import { failure, healthWarning, ok, skipped, warning } from './check.js'
import type { Check, Finding } from './check.js'
import { at, number } from './patient.js'
import type { Fields, Patient } from './patient.js'

const NO_FILE = 'no file is named; give --file gameserver.yaml'

/** By the rules of the local sidecar: syntax, fields, types, names. */
async function checkFile({ file, manifest }: Patient): Promise<Finding> {
  if (file === undefined) return skipped(NO_FILE)
  const found = await manifest()
  if (found instanceof Error) return failure(found.message, `fix ${file}, or name another file with --file`)
  const { kind, apiVersion } = found
  return isGameServer(found)
    ? ok(`${file} is a GameServer of agones.dev/v1, with known fields of the right types`)
    : failure(
        `${file} has kind ${shown(kind ?? 'nothing')} and apiVersion ${shown(apiVersion ?? 'nothing')}`,
        'begin it with apiVersion: agones.dev/v1 and kind: GameServer (or Fleet)',
      )
}

const isGameServer = ({ kind, apiVersion }: Fields): boolean => kind === 'GameServer' && apiVersion === 'agones.dev/v1'

function checkPlace(manifest: Fields): Finding {
  for (const kind of ['counters', 'lists']) {
    const inSpec = at(manifest, 'spec', kind)
    const onlyInStatus = Object.keys(at(manifest, 'status', kind)).filter((name) => !Object.hasOwn(inSpec, name))
    if (onlyInStatus.length > 0) {
      return warning(
        `${kind} ${onlyInStatus.join(', ')} stand in status only, which a cluster ignores`,
        `define them in spec.${kind}; sdk-server --local reads status only, so for it keep both`,
      )
    }
  }
  return ok('counters and lists stand in spec, where a cluster reads them')
}

function checkNames(manifest: Fields): Finding {
  for (const kind of ['counters', 'lists']) {
    const bad = Object.keys(at(manifest, 'spec', kind)).find((name) => name.includes('/') || name === '')
    if (bad !== undefined) {
      return failure(`spec.${kind} has ${JSON.stringify(bad)}, which no call can name`, 'give it a name without "/"')
    }
  }
  for (const map of ['labels', 'annotations']) {
    const bad = Object.keys(at(manifest, 'metadata', map)).find((key) => {
      const [, name] = /^[\w.-]+\.dev\/sdk-(.*)$/s.exec(key) ?? []
      return name !== undefined && !metadataKey.test(name)
    })
    if (bad !== undefined) {
      return failure(
        `metadata.${map} has ${JSON.stringify(bad)}, whose key the SDK can't set: such a write blocks all later ones`,
        'keep keys behind sdk- to 59 letters, digits, "-", "_" or ".", without "/"',
      )
    }
  }
  const lists = Object.keys(at(manifest, 'spec', 'lists'))
  return lists.length === 0 || lists.includes('players')
    ? ok('every name can be used in calls')
    : warning(
        `it has lists (${lists.join(', ')}) and none called players: sdk-server --local refuses updateList without it`,
        'use addListValue and removeListValue, or call the list players',
      )
}

function checkHealth(manifest: Fields): Finding {
  const { disabled, periodSeconds } = at(manifest, 'spec', 'health')
  return healthWarning(disabled, number(periodSeconds) ?? 5) ?? ok('health settings leave a game time')
}

function checkPorts(manifest: Fields): Finding {
  const ports = at(manifest, 'spec')['ports']
  if (!Array.isArray(ports) || ports.length === 0) {
    return warning('spec.ports is empty, so players reach no port', 'add {name: default, containerPort: 7777}')
  }
  for (const port of ports.map((one) => at(one))) {
    const name = shown(port['name'] ?? 'without a name')
    const { portPolicy: policy = 'Dynamic' } = port
    if (typeof policy !== 'string' || !['Dynamic', 'Static', 'Passthrough', 'None'].includes(policy)) {
      return failure(`port ${name} has portPolicy ${shown(policy)}`, 'use Dynamic, Static, Passthrough or None')
    }
    if (policy !== 'Passthrough' && port['containerPort'] === undefined) {
      return failure(`port ${name} has no containerPort`, 'add the port that the game listens on')
    }
    if (policy === 'Static') {
      return port['hostPort'] === undefined
        ? failure(`port ${name} is Static without a hostPort`, 'add hostPort, or use Dynamic')
        : warning(`port ${name} is Static: one GameServer a node`, 'use Dynamic, unless that is meant')
    }
  }
  return ok('ports are given out by the platform')
}

/** Names objects only by their type: YAML aliases can make one that JSON can't express. */
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'a list' : 'an object') : JSON.stringify(value)

/** Skips a check of a GameServer's fields where the file holds none. */
const withGameServer =
  (run: (manifest: Fields) => Finding): Check['run'] =>
  async ({ file, manifest }) => {
    if (file === undefined) return skipped(NO_FILE)
    const found = await manifest()
    return found instanceof Error || !isGameServer(found) ? skipped('the file holds no usable GameServer') : run(found)
  }

export const fileChecks: readonly Check[] = [
  { id: 'file', group: 'File', run: checkFile },
  { id: 'file-place', group: 'File', run: withGameServer(checkPlace) },
  { id: 'file-names', group: 'File', run: withGameServer(checkNames) },
  { id: 'file-health', group: 'File', run: withGameServer(checkHealth) },
  { id: 'file-ports', group: 'File', run: withGameServer(checkPorts) },
]
