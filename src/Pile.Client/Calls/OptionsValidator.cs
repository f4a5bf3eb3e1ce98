// Judges the options of a client when the host starts, and says where in the configuration the mistake stands.
// Whether the server is there is not asked: it may come later.
using System;
using Microsoft.Extensions.Options;

namespace Pile.Client.Calls;

/// <summary>The validation of one client's options.</summary>
/// <param name="of">The options' name.</param>
/// <param name="path">Their section of the configuration, or null when they have none.</param>
internal sealed class OptionsValidator(string of, string? path) : IValidateOptions<PileClientOptions>
{
    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, PileClientOptions options)
    {
        if (name != of)
        {
            return ValidateOptionsResult.Skip;
        }

        if (options.Problems.Count > 0)
        {
            return ValidateOptionsResult.Fail(options.Problems);
        }

        try
        {
            OptionsCheck.Check(options);
            return ValidateOptionsResult.Success;
        }
        catch (ArgumentException mistake)
        {
            return ValidateOptionsResult.Fail($"{(path is null ? nameof(PileClientOptions) + "." : path + ":")}{mistake.ParamName}: {mistake.Message.ReplaceLineEndings(" ")}");
        }
    }
}
