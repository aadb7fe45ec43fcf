#pragma once

namespace tokenjoule {

/// Overwrites the values of --api-key and --header in argv, so that the process list does not show
/// them. Copy the arguments first.
void hide_secrets(int count, char** arguments);

}  // namespace tokenjoule
