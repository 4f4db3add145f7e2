{{- /* The part of the pod's spec that the server and the hook share. */ -}}
{{- define "dormouse.pod" -}}
serviceAccountName: {{ include "dormouse.serviceAccount" . | quote }}
{{ include "dormouse.pod.any" . }}
{{- end -}}

{{- /* The part that all pods share. */ -}}
{{- define "dormouse.pod.any" -}}
automountServiceAccountToken: true
{{- /* Otherwise Services of this namespace become environment variables, which could look like settings. */}}
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.podSecurityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.priorityClassName }}
priorityClassName: {{ . | quote }}
{{- end }}
{{- end -}}

{{- define "dormouse.container" -}}
name: dormouse
image: {{ include "dormouse.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- with .Values.extraEnv }}
env:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.securityContext }}
securityContext:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.resources }}
resources:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "dormouse.volumeMounts" -}}
- name: config
  mountPath: /etc/dormouse/config.yaml
  subPath: config.yaml
  readOnly: true
{{- if include "dormouse.certificates.mounted" . }}
- name: certificates
  mountPath: {{ include "dormouse.certificates.directory" . }}
  readOnly: true
{{- end }}
{{- if .Values.calendars }}
- name: calendars
  mountPath: {{ include "dormouse.calendars.directory" . }}
  readOnly: true
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "dormouse.volumes" -}}
- name: config
  configMap:
    name: {{ include "dormouse.fullname" . | quote }}
{{- with include "dormouse.certificates.mounted" . }}
- name: certificates
  secret:
    secretName: {{ . | quote }}
    defaultMode: 0440
{{- end }}
{{- if .Values.calendars }}
# A ConfigMap that is missing keeps no pod from starting: its calendar is unreadable until it is there.
- name: calendars
  projected:
    sources:
      {{- if include "dormouse.calendars.texts" . | fromJson }}
      - configMap:
          name: {{ include "dormouse.calendars.name" . | quote }}
          optional: true
      {{- end }}
      {{- range $name, $calendar := .Values.calendars }}
      {{- if $calendar.configMap }}
      - configMap:
          name: {{ $calendar.configMap | quote }}
          items:
            - key: {{ $calendar.key | default (printf "%s.ics" $name) | quote }}
              path: {{ printf "%s.ics" $name | quote }}
          optional: true
      {{- end }}
      {{- end }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}
