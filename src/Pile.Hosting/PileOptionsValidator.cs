// Judges the options of one pile before anything of it is opened, and says where in the configuration the mistake stands.
// What only opening can find (a directory in use, a foreign file) is the open's to say.
using System;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Pile.Hosting;

/// <summary>The validation of a pile's options.</summary>
/// <param name="key">The pile's key, or null.</param>
/// <param name="section">Its section of the configuration, or null when it has none.</param>
internal sealed class PileOptionsValidator(string? key, IConfigurationSection? section) : IValidateOptions<PileHostOptions>
{
    /// <inheritdoc/>
    public ValidateOptionsResult Validate(string? name, PileHostOptions options)
    {
        if (name != PileNames.OptionsName(key))
        {
            return ValidateOptionsResult.Skip;
        }

        if (options.Problems.Count > 0)
        {
            return ValidateOptionsResult.Fail(options.Problems);
        }

        string? problem = Judge(options);
        return problem is null ? ValidateOptionsResult.Success : ValidateOptionsResult.Fail(problem);
    }

    private string? Judge(PileHostOptions options)
    {
        bool isInFiles = options.Directory is not null;
        if (options.Directory is { } directory && string.IsNullOrWhiteSpace(directory))
        {
            return $"{Place(nameof(options.Directory))} is empty: it must be a path. A pile in memory has {nameof(options.InMemory)} = true, and no directory.";
        }

        if (isInFiles == options.InMemory)
        {
            return isInFiles
                ? $"{Place(nameof(options.Directory))} = '{options.Directory}' and {Place(nameof(options.InMemory))} = true contradict each other: a pile is in files or in memory."
                : $"{Place(nameof(options.Directory))} is missing: it says where the pile lives. For a pile that ends with the host set {Place(nameof(options.InMemory))} to true.";
        }

        if (options.Pile is null)
        {
            return $"{Place(nameof(options.Pile))} is null.";
        }

        try
        {
            if (isInFiles)
            {
                options.Pile.ValidateForFiles();
            }
            else
            {
                options.Pile.ValidateForMemory();
            }

            return null;
        }
        catch (ArgumentException mistake)
        {
            return $"{Place(mistake.ParamName!)}: {mistake.Message.ReplaceLineEndings(" ")}";
        }
    }

    private string Place(string name) => section is null ? $"{nameof(PileHostOptions)}.{name} of {PileNames.Describe(key)}" : $"{section.Path}:{name}";
}
