export type { ProgramHost } from './program/program-host.js'
export { PROGRAM_RUNTIMES } from './program/runtimes.js'
export { createProgramHost } from './program/program-host.js'
