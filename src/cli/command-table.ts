import type { Command } from './context.js'

interface CommandRow {
  readonly name: string
  readonly summary: string
  load(): Promise<Command>
}

/** All commands, by use. Only the one that is asked for is loaded, since a sidecar has to be there at once. */
export const commandTable: readonly CommandRow[] = [
  {
    name: 'local',
    summary: 'Run the whole sidecar on this machine, without a cluster.',
    load: async () => (await import('./commands/local.js')).localCommand,
  },
  {
    name: 'exec',
    summary: 'Run a command with a local sidecar of its own.',
    load: async () => (await import('./commands/exec.js')).execCommand,
  },
  {
    name: 'serve',
    summary: 'Serve a game build and the sidecar on one origin, for a game server that is a page.',
    load: async () => (await import('./commands/serve.js')).serveCommand,
  },
  {
    name: 'host',
    summary: 'Run a game build as a dedicated server, in a headless browser.',
    load: async () => (await import('./commands/host.js')).hostCommand,
  },
  {
    name: 'allocate',
    summary: 'Allocate the GameServer of a local sidecar, as a matchmaker does in a cluster.',
    load: async () => (await import('./commands/allocate.js')).allocateCommand,
  },
  {
    name: 'call',
    summary: 'Call an operation of the sidecar, and print its answer as JSON.',
    load: async () => (await import('./commands/call.js')).callCommand,
  },
  {
    name: 'watch',
    summary: 'Show each change of the GameServer, or wait for a state.',
    load: async () => (await import('./commands/watch.js')).watchCommand,
  },
  {
    name: 'doctor',
    summary: 'Find what is wrong with a sidecar, the way to it, or a GameServer file.',
    load: async () => (await import('./commands/doctor.js')).doctorCommand,
  },
  {
    name: 'scenario',
    summary: 'Play scenarios with a game and a local sidecar, or check their files.',
    load: async () => (await import('./commands/scenario.js')).scenarioCommand,
  },
  {
    name: 'replay',
    summary: 'Show a recording to whoever watches, or make its calls again.',
    load: async () => (await import('./commands/replay.js')).replayCommand,
  },
  {
    name: 'init',
    summary: 'Write a Dockerfile and the manifests of a Fleet into a project, over no file that is there.',
    load: async () => (await import('./commands/init.js')).initCommand,
  },
  {
    name: 'completion',
    summary: 'Print the script that completes this command in a shell.',
    load: async () => (await import('./commands/completion.js')).completionCommand,
  },
]
