import { Option } from 'commander'
import type { LocalSidecarOptions } from '../node/local/local-sidecar-options.js'
import { featureGates, names, whole } from './arguments.js'

/** The flags of a local sidecar, which `local` and `serve --local` share. */
export type LocalFlags = Pick<
  LocalSidecarOptions,
  'mode' | 'file' | 'featureGates' | 'wsLimit' | 'quirks' | 'replace' | 'record' | 'redact' | 'dashboard'
>

/** Which port a sidecar inside of another command takes. */
export const USUAL_PORT = '9358 if it is free, else any'

/**
 * Creates the options anew for each command, because an option remembers the heading that a command gave it. They have
 * no defaults, so that `serve` can tell which of them were given; the sidecar has its own.
 */
export const localOptions = (): readonly Option[] => [
  new Option(
    '--mode <mode>',
    'imitate a real sidecar started by hand, or one in a pod (default: "production")',
  ).choices(['local', 'production']),
  new Option('-f, --file <path>', 'GameServer to start with, as YAML or JSON; reloaded when it is saved'),
  new Option('--feature-gates <gates>', 'for example CountsAndLists=false').argParser(featureGates),
  new Option(
    '--ws-limit <bytes>',
    'close a WebSocket at a line of this many bytes; 0 for no limit (default: 65536)',
  ).argParser(whole),
  new Option('--quirks', 'reproduce the bugs of the real sidecar in production'),
  new Option('--record <path>', 'record the session into this file, or add it to one that is there'),
  new Option('--redact <keys>', 'annotations whose values are not recorded, for example "*token*"').argParser(names),
  new Option('--no-replace', 'keep a GameServer that has ended, instead of a fresh one a second later'),
  new Option('--no-dashboard', 'serve no page at /_/'),
]

/** Whether an option is on the command line: those that switch something off have a default of their own. */
export const isGiven = (option: Option, flags: object): boolean => {
  const value = (flags as Readonly<Record<string, unknown>>)[option.attributeName()]
  return option.negate ? value === false : value !== undefined
}
