import type { Choices } from '../choices.js'
import type { Project } from '../project.js'

/** What `docker build` should neither read nor put into the image. */
export const dockerignore = ({ kind, dir }: Choices, project: Project): string => `# What docker build leaves out.
.git
**/node_modules
${kind === 'page' && project.hasBuild && project.ignored.includes(dir) ? `# It is built anew in the image.\n${dir}\n` : ''}# Secrets stay here.
${kind === 'node' ? '.env*' : '.env.local\n.env.*.local'}
*.log
Dockerfile
.dockerignore
gameserver.yaml
fleet.yaml
fleetautoscaler.yaml
allocation.yaml
`
