-- Dormouse: its verdict on a sleeper stands behind Argo CD's own, which stays for all that is not Healthy.
local function kept()
  local labels = obj.metadata.labels or {}
  return tonumber(labels["dormouse.dev/asleep"])
end

local function isAsleep()
  if kept() == nil then
    return false
  end
  if obj.kind == "DaemonSet" then
    return (obj.spec.template.spec.nodeSelector or {})["dormouse.dev/snoozed"] ~= nil
  end
  local replicas = obj.spec.replicas or 1
  return replicas == 0 or replicas < kept()
end

local function asleepText()
  local marks = obj.metadata.annotations or {}
  local text = "asleep"
  if obj.metadata.labels["dormouse.dev/held"] == "pin" then
    text = "pinned asleep"
  end
  if obj.kind ~= "DaemonSet" then
    if obj.spec.replicas ~= 0 then
      text = text .. " at " .. obj.spec.replicas
    end
    text = text .. "; wakes to " .. kept()
  end
  local schedule = marks["dormouse.dev/schedule"]
  if schedule ~= nil and schedule ~= "" then
    text = text .. "; awake " .. schedule
    if marks["dormouse.dev/timezone"] ~= nil then
      text = text .. " " .. marks["dormouse.dev/timezone"]
    end
  end
  return text
end

local health = own()
if health.status == "Healthy" and isAsleep() then
  return is("@STATUS@", asleepText())
end
return health
