import { readFile, rm, writeFile } from 'node:fs/promises'
import type { AutoscalerManifest, FleetManifest } from '../../platform/fleet.js'
import { isObject } from '../../protocol/is-object.js'
import { readFleetDocument, type FleetDocument } from '../../platform/schema.js'
import type { TextFile } from '../files/follow-file.js'
import { findInFile, GameServerFileError, readInFile, readText } from '../files/game-server-file.js'

/** The first line of a kubeconfig of a Fleet, by which it is known again. */
const MARK = '# Written by gameserver-sidecar fleet, and removed at its end.'

/** What a Fleet runs from. */
export interface FleetSource {
  readonly fleet: FleetManifest
  readonly autoscaler: AutoscalerManifest | undefined
}

/** The Fleet of a person who has no file yet. */
export const BUILT_IN: FleetManifest = {
  metadata: { name: 'fleet' },
  spec: { template: { spec: { ports: [{ name: 'default' }] } } },
}

/** Reads a Fleet, or a GameServer that becomes one, and a FleetAutoscaler from files. @throws GameServerFileError */
export async function readFleetFiles(paths: readonly string[]): Promise<{ source: FleetSource; files: TextFile[] }> {
  const files = await Promise.all(paths.map(async (path) => ({ path, text: await readText(path) })))
  return { source: await parseFleetFiles(files), files }
}

/** Parses the texts of such files. @throws GameServerFileError */
export async function parseFleetFiles(files: readonly TextFile[]): Promise<FleetSource> {
  const found = (await find(files, 'Fleet')) ?? (await find(files, 'GameServer')) ?? (await find(files))
  const scaled = await find(files, 'FleetAutoscaler')
  if (found === undefined || !('fleet' in found)) {
    throw new GameServerFileError(`${files[0]!.path} holds no Fleet; give the file with the Fleet, too`)
  }
  const autoscaler = scaled !== undefined && 'autoscaler' in scaled ? scaled.autoscaler : undefined
  const { name = 'fleet' } = found.fleet.metadata ?? {}
  if (autoscaler !== undefined && autoscaler.spec.fleetName !== name) {
    throw new GameServerFileError(
      `The FleetAutoscaler is for the Fleet ${JSON.stringify(autoscaler.spec.fleetName)}, and the Fleet here is ` +
        `${JSON.stringify(name)}; give spec.fleetName that name`,
    )
  }
  return { fleet: found.fleet, autoscaler }
}

/**
 * The first document of a kind, or of any; undefined if no file holds one.
 *
 * @throws GameServerFileError that says what the document should be
 */
async function find(files: readonly TextFile[], kind?: string): Promise<FleetDocument | undefined> {
  const isWanted = (value: unknown): boolean => kind === undefined || (isObject(value) && value['kind'] === kind)
  for (const { path, text } of files) {
    const document = await findInFile(path, text, isWanted)
    if (!isWanted(document.value)) continue
    return readInFile(path, document, kind ?? 'Fleet', () => readFleetDocument(document.value))
  }
  return undefined
}

const kubeconfigFor = (url: string, namespace: string): string =>
  [
    'apiVersion: v1',
    'kind: Config',
    // @kubernetes/client-node refuses http without insecure-skip-tls-verify.
    `clusters: [{ name: fleet, cluster: { server: ${JSON.stringify(url)}, insecure-skip-tls-verify: true } }]`,
    'users: [{ name: fleet, user: {} }]',
    `contexts: [{ name: fleet, context: { cluster: fleet, user: fleet, namespace: ${JSON.stringify(namespace)} } }]`,
    'current-context: fleet',
    '',
  ].join('\n')

/**
 * Writes a kubeconfig that leads to a Fleet. Returns the function that removes the file, unless it was changed.
 *
 * @throws GameServerFileError for a file that can't be written, or that leads elsewhere: nobody's clusters get lost
 */
export async function writeKubeconfig(path: string, url: string, namespace: string): Promise<() => Promise<void>> {
  const text = `${MARK}\n${kubeconfigFor(url, namespace)}`
  const before = await readFile(path, 'utf8').catch(() => '')
  if (before !== '' && !before.startsWith(MARK)) {
    throw new GameServerFileError(`${path} exists and is no kubeconfig of a Fleet; give the name of a new file`)
  }
  await writeFile(path, text, { mode: 0o600 }).catch((error: unknown) => {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'its folder is missing' : message
    throw new GameServerFileError(`The kubeconfig can't be written into ${path}: ${reason}`)
  })
  return async () => {
    if ((await readFile(path, 'utf8').catch(() => '')) === text) await rm(path, { force: true })
  }
}
