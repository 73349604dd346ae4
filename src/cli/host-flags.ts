import { UsageError, type Invocation } from './context.js'
import { bytes, names, networks, port, several, whole } from './flag-values.js'
import { option, text, toggle, under } from './flags.js'
import { givenOfLocal, insideFlags, logFormat, pageFlags, platform, sidecar } from './local-flags.js'
import { checkSidecarFlags } from './serve-checks.js'

/** Flags without a default here have the library's. */
export const hostFlags = {
  sidecar,
  platform,
  grace: option('ms', 'time limit for an orderly end (default: 10000)', whole),
  restarts: option('n', 'restarts after a crash before the first Ready (default: 2)', whole),
  logFormat,
  ...under('The page:', { path: text('path', 'path and query of the page (default: "/")') }),
  ...pageFlags,
  ...under('Players:', {
    playersPort: option('port', 'port for players; 0 for any (default: 7777)', port, {
      short: 'p',
      also: ['port'],
    }),
    playersHost: text('address', 'address to listen on (default: 0.0.0.0, with --local 127.0.0.1)', {
      also: ['host', 'address'],
    }),
    maxPlayers: option('n', 'maximum players at once (default: 256)', whole),
    maxMessage: option('bytes', 'maximum bytes of a message (default: 65536)', bytes),
    maxRate: option('n', 'maximum messages per second from one player (default: 240)', whole),
    maxBuffered: option('bytes', 'maximum backlog for one player, in bytes (default: 1048576)', bytes),
    playerOrigin: option('origin', 'accept only players from pages of this origin', names),
    trustProxy: option('cidr', "network of proxies whose X-Forwarded-For tells a player's address", networks),
    webrtc: toggle('also accept WebRTC, for unreliable messages; needs node-datachannel'),
  }),
  ...under('The browser:', {
    browser: text('path', 'the browser (default: chromium-headless-shell, else Chromium)'),
    browserFlag: option('flag', 'further flag for the browser; repeatable', several),
    webgl: toggle('draw WebGL in software, for half a core more'),
  }),
  ...under('Supervision:', {
    bootTimeout: option('ms', "time limit for the page's first step (default: 20000)", whole),
    hangTimeout: option('ms', 'silence of the page that counts as a hang (default: 5000)', whole),
  }),
  ...under('Metrics:', {
    metricsPort: option('port', 'port of /metrics for Prometheus; 0 for any (default: none)', port),
    metricsAddress: text('address', 'address of that port (default: 0.0.0.0, with --local 127.0.0.1)'),
    metricsFrom: option('network', 'networks that may read /metrics (default: private ones)', networks),
  }),
  ...insideFlags,
}

/** @throws UsageError that names flags, where the library's errors would name options */
export function checkHostFlags(
  { args: [dir], flags, given }: Invocation<typeof hostFlags>,
  env: NodeJS.ProcessEnv,
): void {
  if (!dir) throw new UsageError('Nothing says what to run: name the folder with the built page.')
  checkSidecarFlags(flags, env, givenOfLocal(given))
}
