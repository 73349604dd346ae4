import { carryOver } from './carry-over.js'
import type { Existing } from './carry-over.js'
import type { Choices } from './choices.js'
import type { Project } from './project.js'
import { allocation } from './templates/allocation.js'
import { fleetAutoscaler } from './templates/autoscaler.js'
import { dockerfile, dockerignore } from './templates/dockerfile.js'
import { fleet, gameServer } from './templates/game-server.js'

export { readExisting } from './carry-over.js'
export { ChoiceError } from './choices.js'
export { choose } from './choose.js'
export type { Person } from './choose.js'
export { imageProblems, missingBuild, nextSteps } from './next-steps.js'
export { inspectProject, ProjectError } from './project.js'
export { WriteError, writeFiles } from './write-files.js'

/** Everything that `init` writes: the content of each file by its name. */
export const renderFiles = (choices: Choices, project: Project, existing?: Existing): ReadonlyMap<string, string> =>
  new Map([
    ['Dockerfile', dockerfile(choices, project)],
    ['.dockerignore', dockerignore(choices, project)],
    ['gameserver.yaml', gameServer(choices)],
    ['fleet.yaml', existing === undefined ? fleet(choices) : carryOver(fleet(choices), existing)],
    ['fleetautoscaler.yaml', fleetAutoscaler(choices)],
    ['allocation.yaml', allocation(choices)],
  ])
