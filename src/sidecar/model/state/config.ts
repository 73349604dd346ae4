import type { SidecarConfig } from '../../sidecar.js'

/** All defaults, in one place. */
export const defaultConfig: SidecarConfig = {
  mode: 'production',
  platform: 'agones',
  quirks: false,
  featureGates: { CountsAndLists: true, PlayerTracking: false },
  gameServer: undefined,
  conformance: undefined,
  writeDelay: 500,
  controllerDelay: 20,
  bodyLimit: 4 * 1024 * 1024,
  logEntries: 5_000,
  logSize: 16 * 1024 * 1024,
  watchQueue: 64,
}

/** The names a conformance run may expect. */
export const conformanceNames: readonly string[] = [
  'ready',
  'allocate',
  'setlabel',
  'setannotation',
  'gameserver',
  'health',
  'shutdown',
  'watch',
  'reserve',
  'getcounter',
  'updatecounter',
  'setcountcounter',
  'setcapacitycounter',
  'getlist',
  'updatelist',
  'addlistvalue',
  'removelistvalue',
]

/** Fills in the defaults and throws a sentence about the first thing that makes no sense. */
export function resolveConfig(partial: Partial<SidecarConfig> = {}): SidecarConfig {
  const given = Object.fromEntries(Object.entries(partial).filter(([, value]) => value !== undefined))
  const config: SidecarConfig = {
    ...defaultConfig,
    ...given,
    featureGates: { ...defaultConfig.featureGates, ...partial.featureGates },
  }
  if (config.mode !== 'local' && config.mode !== 'production') {
    throw new TypeError(`mode must be "local" or "production", not ${JSON.stringify(config.mode)}`)
  }
  if (!/^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/.test(config.platform)) {
    throw new TypeError(
      `platform must be lower-case letters, digits and dashes, not ${JSON.stringify(config.platform)}`,
    )
  }
  for (const name of ['writeDelay', 'controllerDelay', 'bodyLimit', 'logEntries', 'logSize', 'watchQueue'] as const) {
    if (!Number.isFinite(config[name]) || config[name] < 0) {
      throw new TypeError(`${name} must be a number of at least 0, not ${String(config[name])}`)
    }
  }
  for (const name of config.conformance ?? []) {
    if (!conformanceNames.includes(name)) {
      throw new TypeError(`conformance knows no "${name}"; it knows ${conformanceNames.join(', ')}`)
    }
  }
  return config
}
