import { Option } from 'commander'
import type { LocalSidecarOptions } from '../node/local/local-sidecar-options.js'
import { featureGates, whole } from './arguments.js'

/** What a local sidecar can be told on the command line, whatever it runs in. */
export type LocalFlags = Pick<LocalSidecarOptions, 'mode' | 'file' | 'featureGates' | 'wsLimit' | 'quirks'>

/**
 * Without defaults, which are the sidecar's own: so one can tell what was given. Made anew for each command, since an
 * option keeps the heading under which a command shows it.
 */
export const localOptions = (): readonly Option[] => [
  new Option(
    '--mode <mode>',
    'what to imitate: the real sidecar run by hand, or in a pod (default: "production")',
  ).choices(['local', 'production']),
  new Option('-f, --file <path>', 'YAML or JSON of the GameServer to start with; loaded again when saved'),
  new Option('--feature-gates <gates>', 'for example CountsAndLists=false').argParser(featureGates),
  new Option(
    '--ws-limit <bytes>',
    'end a WebSocket at a line of so many bytes; 0 for no limit (default: 65536)',
  ).argParser(whole),
  new Option('--quirks', 'reproduce the bugs of the real sidecar in production'),
]
