-- As Argo CD itself has it for a DaemonSet.
local function own()
  local status = obj.status or {}
  local desired, updated = status.desiredNumberScheduled or 0, status.updatedNumberScheduled or 0
  local available = status.numberAvailable or 0
  local waiting = 'Waiting for daemon set "' .. obj.metadata.name .. '" rollout to finish: '
  if (obj.metadata.generation or 0) > (status.observedGeneration or 0) then
    return is("Progressing", "Waiting for rollout to finish: observed daemon set generation less than desired generation")
  end
  if (obj.spec.updateStrategy or {}).type == "OnDelete" then
    return is("Healthy", "daemon set " .. updated .. " out of " .. desired .. " new pods have been updated")
  end
  if updated < desired then
    return is("Progressing", waiting .. updated .. " out of " .. desired .. " new pods have been updated...")
  end
  if available < desired then
    return is("Progressing", waiting .. available .. " of " .. desired .. " updated pods are available...")
  end
  return is("Healthy")
end
