-- As Argo CD itself has it for a StatefulSet.
local function own()
  local status, strategy = obj.status or {}, obj.spec.updateStrategy or {}
  local observed, wanted = status.observedGeneration or 0, obj.spec.replicas
  local ready, updated = status.readyReplicas or 0, status.updatedReplicas or 0
  if observed == 0 or (obj.metadata.generation or 0) > observed then
    return is("Progressing", "Waiting for statefulset spec update to be observed...")
  end
  if wanted ~= nil and ready < wanted then
    return is("Progressing", "Waiting for " .. (wanted - ready) .. " pods to be ready...")
  end
  if strategy.type == "RollingUpdate" and strategy.rollingUpdate ~= nil then
    local partition = strategy.rollingUpdate.partition
    if wanted ~= nil and partition ~= nil and updated < wanted - partition then
      return is("Progressing", "Waiting for partitioned roll out to finish: " .. updated .. " out of " .. (wanted - partition) .. " new pods have been updated...")
    end
    return is("Healthy", "partitioned roll out complete: " .. updated .. " new pods have been updated...")
  end
  if strategy.type == "OnDelete" then
    return is("Healthy", "statefulset has " .. ready .. " ready pods")
  end
  local revision = status.updateRevision or ""
  if revision ~= (status.currentRevision or "") then
    return is("Progressing", "waiting for statefulset rolling update to complete " .. updated .. " pods at revision " .. revision .. "...")
  end
  return is("Healthy", "statefulset rolling update complete " .. (status.currentReplicas or 0) .. " pods at revision " .. revision .. "...")
end
