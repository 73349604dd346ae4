import { metadataKey } from '../../protocol/names.js'
import { failure, ok, skipped, warning } from './check.js'
import type { Check, Finding, Patient } from './check.js'
import { at } from './manifest-file.js'
import type { Manifest } from './manifest-file.js'

const withFile =
  (run: (manifest: Manifest, path: string) => Finding | Promise<Finding>) =>
  async ({ file, manifest }: Patient): Promise<Finding> => {
    if (file === undefined) return skipped('no file is named; give --file gameserver.yaml')
    const found = await manifest()
    return found instanceof Error ? skipped('the file could not be read') : run(found, file)
  }

/** A check of a GameServer's fields, which a file of another kind doesn't have. */
const withGameServer = (run: (manifest: Manifest, path: string) => Finding | Promise<Finding>) =>
  withFile((manifest, path) => (isGameServer(manifest) ? run(manifest, path) : skipped('the file holds no GameServer')))

const isGameServer = ({ kind, apiVersion }: Manifest): boolean =>
  kind === 'GameServer' && apiVersion === 'agones.dev/v1'

async function checkParses({ file, manifest }: Patient): Promise<Finding> {
  if (file === undefined) return skipped('no file is named; give --file gameserver.yaml')
  const found = await manifest()
  return found instanceof Error
    ? failure(found.message, `mend ${file}, or name another with --file`)
    : ok(`${file} is read`)
}

/** By the rules that the local sidecar reads it with: fields, types, names. */
async function checkFields(_manifest: Manifest, path: string): Promise<Finding> {
  const { loadGameServerFile } = await import('../../node/local/game-server-file.js')
  try {
    await loadGameServerFile(path)
    return ok('its fields are known, and of the right types')
  } catch (error) {
    return failure((error as Error).message, `mend it in ${path}; a cluster refuses or ignores it as well`)
  }
}

function checkKind(manifest: Manifest): Finding {
  const { kind, apiVersion } = manifest
  return isGameServer(manifest)
    ? ok('it is a GameServer of agones.dev/v1')
    : failure(
        `it is ${shown(kind ?? 'nothing')} of ${shown(apiVersion ?? 'no apiVersion')}`,
        'begin it with apiVersion: agones.dev/v1 and kind: GameServer (or Fleet)',
      )
}

function checkPlace(manifest: Manifest): Finding {
  for (const kind of ['counters', 'lists']) {
    const inSpec = Object.keys(at(manifest, 'spec', kind))
    const onlyInStatus = Object.keys(at(manifest, 'status', kind)).filter((name) => !inSpec.includes(name))
    if (onlyInStatus.length > 0) {
      return warning(
        `${kind} ${onlyInStatus.join(', ')} stand in status only, which a cluster ignores`,
        `define them in spec.${kind}; sdk-server --local reads status only, so for it keep both`,
      )
    }
  }
  return ok('counters and lists stand in spec, where a cluster reads them')
}

function checkNames(manifest: Manifest): Finding {
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
  return ok('every name can be used in calls')
}

function checkPlayers(manifest: Manifest): Finding {
  const lists = Object.keys(at(manifest, 'spec', 'lists'))
  return lists.length === 0 || lists.includes('players')
    ? ok(lists.length === 0 ? 'it has no lists' : 'it has a list players')
    : warning(
        `it has lists (${lists.join(', ')}) and none called players: sdk-server --local refuses updateList without it`,
        'use addListValue and removeListValue, or call the list players',
      )
}

async function checkHealth(manifest: Manifest, patient: Patient): Promise<Finding> {
  const health = at(manifest, 'spec', 'health')
  if (health['disabled'] === true) {
    return warning('spec.health.disabled is true, so a game that hangs stays in play', 'take it out, and send beats')
  }
  const [period, delay] = [health['periodSeconds'], health['initialDelaySeconds']].map((value) =>
    typeof value === 'number' ? value : 5,
  ) as [number, number]
  if (period < 2) {
    return warning(`spec.health.periodSeconds is ${period}, which a short pause misses`, 'set 2 or more')
  }
  const startUp = await startUpOf(patient)
  if (startUp !== undefined && startUp > delay) {
    return warning(
      `the game's first call came ${startUp.toFixed(1)} s after its sidecar started, later than initialDelaySeconds ${delay}`,
      `set spec.health.initialDelaySeconds to ${Math.ceil(startUp * 1.5)}`,
    )
  }
  return ok('health settings leave a game time')
}

function checkPorts(manifest: Manifest): Finding {
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

/** Seconds from the sidecar's start to the first call, by the log of a local sidecar that still has its beginning. */
async function startUpOf({ listener, calls }: Patient): Promise<number | undefined> {
  const found = await listener()
  if (found.kind !== 'ours' || found.state?.startedAt === undefined) return undefined
  const {
    calls: [first],
    isWhole,
  } = await calls()
  return first === undefined || !isWhole ? undefined : (first.at - found.state.startedAt) / 1000
}

/** A value as a sentence has it: what YAML builds out of references may have no JSON. */
const shown = (value: unknown): string =>
  typeof value === 'object' && value !== null ? (Array.isArray(value) ? 'a list' : 'an object') : JSON.stringify(value)

export const fileChecks: readonly Check[] = [
  { id: 'file', group: 'File', run: checkParses },
  { id: 'file-kind', group: 'File', run: withFile(checkKind) },
  { id: 'file-fields', group: 'File', run: withGameServer(checkFields) },
  { id: 'file-place', group: 'File', run: withGameServer(checkPlace) },
  { id: 'file-names', group: 'File', run: withGameServer(checkNames) },
  { id: 'file-players', group: 'File', run: withGameServer(checkPlayers) },
  {
    id: 'file-health',
    group: 'File',
    run: (patient) => withGameServer((manifest) => checkHealth(manifest, patient))(patient),
  },
  { id: 'file-ports', group: 'File', run: withGameServer(checkPorts) },
]
