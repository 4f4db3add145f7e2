-- As Argo CD itself has it for a Deployment.
local function own()
  local status = obj.status or {}
  local replicas, updated = status.replicas or 0, status.updatedReplicas or 0
  local available, wanted = status.availableReplicas or 0, obj.spec.replicas
  if obj.spec.paused then
    return is("Suspended", "Deployment is paused")
  end
  if (obj.metadata.generation or 0) > (status.observedGeneration or 0) then
    return is("Progressing", "Waiting for rollout to finish: observed deployment generation less than desired generation")
  end
  for _, condition in ipairs(status.conditions or {}) do
    if condition.type == "Progressing" and condition.reason == "ProgressDeadlineExceeded" then
      return is("Degraded", 'Deployment "' .. obj.metadata.name .. '" exceeded its progress deadline')
    end
  end
  if wanted ~= nil and updated < wanted then
    return is("Progressing", "Waiting for rollout to finish: " .. updated .. " out of " .. wanted .. " new replicas have been updated...")
  end
  if replicas > updated then
    return is("Progressing", "Waiting for rollout to finish: " .. (replicas - updated) .. " old replicas are pending termination...")
  end
  if available < updated then
    return is("Progressing", "Waiting for rollout to finish: " .. available .. " of " .. updated .. " updated replicas are available...")
  end
  return is("Healthy")
end
